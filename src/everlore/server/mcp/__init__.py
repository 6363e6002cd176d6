"""The MCP server: Everlore as tools and resources for agents and desktop clients (9-surfaces).

`tools` and `resources` are what is offered, plain functions over an Everlore; `rights` says who may use which. `build`
hangs them into the official SDK, which is an extra and loaded only when somebody asks for it; `over_http` serves it at
`/mcp` of a server, and `over_stdio` to the one program that started `everlore mcp`.

Start at `tools`.
"""
