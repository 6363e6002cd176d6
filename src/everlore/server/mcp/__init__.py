"""The MCP server: Everlore as tools and resources for agents and desktop clients (9-surfaces).

`tools` and `resources` are plain functions over an Everlore; `rights` says who may use which. `build` registers them
with the official SDK, an optional extra that is imported on first use; `over_http` serves it at `/mcp`, and
`over_stdio` to the program that started `everlore mcp`.

Start at `tools`.
"""
