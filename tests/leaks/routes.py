"""What is not read in the village, each with the reason; all else that can be asked for must be (R11).

By method and route, tool, resource and verb. What writes is here too: its answer is the caller's own doing.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import typer

from everlore.cli.main import app
from everlore.server.mcp.resources import RESOURCES
from everlore.server.mcp.tools import TOOLS
from everlore.server.openapi import document
from everlore.server.rights import operations_of
from tests.leaks.doors import Doors

_WRITES = "writes, and shows the caller their own doing"
_OWNERS = "the owner's, who sees all, and names no asker; `outside.py` has others refused where it could tell something"
_NO_MEMORY = "has no memory, message or talk in it"
_OF_ALL = "the terminal is the owner's, who sees all, and names no asker"
_TURN = "the answer of a model, which was told what `prompt` and `x-ray to come` hold"

# These are asked by nobody in the village, or answered to nobody but the owner.
UNREAD: dict[str, str] = {
    **dict.fromkeys(
        """
        GET /api/memories/{id}/links|GET /api/persons/{id}/partners|GET /api/graph
        GET /api/conversations/{id}/inner|GET /api/conversations/{id}/rolls|GET /api/memory-misses|GET /api/readings
        GET /api/readings/filters|GET /api/jobs|GET /api/audit|GET /api/users|GET /api/tokens
        GET /api/webhooks|GET /api/webhooks/{id}|GET /api/memory-metrics|GET /metrics|GET /api/export|GET /api/demo
        POST /api/memories/{id}/why-not|POST /api/conversations/{id}/gossip
        """.replace("\n", "|").split("|"),
        _OWNERS,
    ),
    **dict.fromkeys(
        """
        POST /api/campaigns/import|POST /api/campaigns/{id}/import|POST /api/campaigns/{id}/logs
        POST /api/campaigns|POST /api/campaigns/{id}/memories|POST /api/campaigns/{id}/chapters
        POST /api/campaigns/{id}/sessions|POST /api/campaigns/{id}/entities|POST /api/campaigns/{id}/proposals/decide
        POST /api/sessions/{id}/join|POST /api/sessions/{id}/conversations|POST /api/sessions/{id}/end
        POST /api/sessions/{id}/digest|POST /api/sessions/{id}/clear|POST /api/entities/{id}/merge|POST /api/ties
        POST /api/proposals/{id}/approve|POST /api/proposals/{id}/merge|POST /api/proposals/{id}/reject
        remember_canon|add_entity|tie_entities|decide_proposal|rule_conflict|start_session|end_session|bring_session_log
        POST /api/campaigns/{id}/players|POST /api/campaigns/{id}/players/{player_id}/character
        POST /api/proposals/{id}/undo|POST /api/proposals/{id}/rule
        """.replace("\n", "|").split("|"),
        _WRITES,
    ),
    **dict.fromkeys(
        """
        GET /api/models|GET /api/media/{id}|GET /v1/models/{name}|POST /v1/embeddings|POST /api/models/discover
        POST /api/models/list|GET /api/models/window|POST /api/imports
        POST /api/models/test|GET /api/config
        GET /api/templates|GET /api/templates/variables|GET /api/templates/{id}|GET /api/templates/{id}/versions
        GET /api/templates/{id}/versions/{number}|GET /api/templates/{id}/diff|POST /api/templates/validate
        GET /api/lorebooks|GET /api/lorebooks/{id}|GET /api/lorebooks/{id}/content|everlore export lorebook
        GET /api/conversations/{id}/resting|list_characters|GET /api/campaigns/{id}/players|POST /api/characters/tokens
        """.replace("\n", "|").split("|"),
        _NO_MEMORY,
    ),
    **dict.fromkeys(
        """
        POST /api/lorebooks|POST /api/characters|POST /api/characters/personas|POST /api/characters/import
        POST /api/conversations|POST /api/conversations/import
        POST /api/conversations/{id}/inner|POST /api/conversations/{id}/close|POST /api/conversations/{id}/branch
        POST /api/conversations/{id}/pins|POST /api/conversations/{id}/messages/{message_id}/choose
        POST /api/conversations/{id}/messages/{message_id}/restore
        POST /api/conversations/{id}/stop|POST /api/memories|POST /api/memories/{id}/approve
        POST /api/memories/{id}/reject|POST /api/memories/{id}/correct|POST /api/memories/{id}/restore
        POST /api/memories/{id}/withdraw|POST /api/memories/{id}/merge|POST /api/memories/{id}/undo
        POST /api/memories/{id}/tell|POST /api/conversations/{id}/extract|POST /api/conversations/{id}/keyframe
        POST /api/conversations/{id}/analyze|POST /api/conversations/{id}/summarize|POST /api/events
        POST /api/jobs/pause|POST /api/jobs/resume|POST /api/jobs/{id}/retry|POST /api/templates|POST /api/tokens
        POST /api/users|POST /api/users/{id}/forget|POST /api/webhooks|everlore webhook create|everlore webhook enable|
        everlore webhook delete|POST /api/session|POST /api/import|POST /api/demo
        remember|forget|extract_memories|capture_event|change_event|delete_event
        everlore remember|everlore forget|everlore tell|everlore extract|everlore keyframe|everlore analyze
        everlore summarize|everlore cleanup|everlore reindex|everlore migrate|everlore import
        everlore restore|everlore demo
        everlore memories approve|everlore memories reject|everlore memories correct|everlore memories restore
        everlore campaign log|everlore campaign import
        everlore campaign new|everlore campaign delete|everlore campaign remember|everlore campaign chapter begin
        everlore campaign session start|everlore campaign session end|everlore campaign session digest
        everlore campaign session clear|everlore campaign entity add|everlore campaign entity merge
        everlore campaign entity delete|everlore campaign tie|everlore campaign untie|everlore campaign rule
        everlore campaign review approve
        everlore campaign review reject|everlore campaign review merge|everlore campaign review undo
        everlore event add|everlore event change|everlore event finish|everlore event delete
        everlore jobs retry|everlore jobs pause|everlore jobs resume
        everlore template save|everlore template delete|everlore delete conversation
        everlore delete user|everlore delete workspace|everlore token create|everlore token revoke
        everlore models install|everlore models remove
        """.replace("\n", "|").split("|"),
        _WRITES,
    ),
    **dict.fromkeys(
        """
        everlore campaign export
        everlore campaign list|everlore campaign show|everlore campaign recap|everlore campaign ask
        everlore campaign story
        everlore campaign chapter list|everlore campaign session list|everlore campaign session show
        everlore campaign session log|everlore campaign entity list|everlore campaign entity mentions
        everlore campaign ties|everlore campaign review list|everlore campaign conflicts
        everlore misses|everlore characters|everlore conversations|everlore analyses|everlore interactions
        everlore refused|everlore summaries|everlore stats|everlore metrics|everlore audit|everlore doctor
        everlore export workspace|everlore backup
        everlore memories list|everlore memories show|everlore memories history|everlore memories source
        everlore event list|everlore event show|everlore jobs list|everlore token list|everlore models list
        everlore webhook list
        everlore template list|everlore template show|everlore template lint|everlore template variables
        everlore template versions|everlore template diff|everlore template render
        """.replace("\n", "|").split("|"),
        _OF_ALL,
    ),
    **dict.fromkeys(
        """
        POST /api/conversations/{id}/messages|POST /api/conversations/{id}/messages/{message_id}/regenerate
        POST /api/conversations/{id}/messages/{message_id}/continue|POST /v1/chat/completions|
        POST /v1/completions|POST /v1/responses|everlore chat
        """.replace("\n", "|").split("|"),
        _TURN,
    ),
    "POST /api/templates/preview": "the owner's; the prompt is made as for `prompt`",
    "POST /api/templates/{id}/preview": "the owner's; the prompt is made as for `prompt`",
    "GET /api/conversations/{id}/stream": "only while a reply is written, which `test_live.py` hears on the socket",
    "everlore serve": "starts the server that is asked here",
    "everlore worker": "prints nothing that it reads",
    "everlore mcp": "the owner's; the tools are those that are asked here over HTTP",
}
UNREAD = {name.strip(): why for name, why in UNREAD.items() if name.strip()}

# Ways on which no word of a memory ever comes, so that an empty ledger says nothing about them; what would be noticed
# of them is tested in `test_ways.py`.
SILENT: dict[str, str] = {
    "knowers": "names persons",
    "card": "a card has no memory in it",
    "CLI export character": "a card has no memory in it",
    "CLI why-not": "a verdict names steps and scores",
    "talk/event": "says who talked, and the title, which no talk here has",
    "plain": "has no memory in it",
    "owner's": "is refused",
    "REST writing": "is refused",
}


@cache
def everything() -> frozenset[str]:
    """All that can be asked for, by what it is called. What changes or deletes what it names is no read."""
    routes = {f"{method} {path}" for method, path in operations_of(document()) if method in ("GET", "POST")}
    tools = {each.__name__ for each in TOOLS}
    return frozenset({*routes, *tools, *RESOURCES, *verbs(typer.main.get_command(app))})


def verbs(command: Any, name: str = "everlore") -> Iterable[str]:
    for each, below in command.commands.items():
        path = f"{name} {each}"
        yield from verbs(below, path) if hasattr(below, "commands") else [path]


def unanswered(doors: Doors) -> list[str]:
    """What should be read here, and gave nobody anything."""
    wanted = {each for each in everything() - set(UNREAD) if doors.database or not each.startswith("everlore ")}
    return sorted(each for each in wanted if not doors.answered[each])
