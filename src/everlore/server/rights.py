"""Which act each route needs; the policy says who may do it (C3, S-3).

A route that is not listed here is for the owner, so a forgotten one is closed. `rights_table` prints all for the docs.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from everlore.domain.policy import Act, Role, may

_LOOK = """
GET /api/health
POST DELETE /api/session
"""
_MEET = """
GET /api/me
GET /api/characters
GET /api/characters/{id}
GET /api/media/{id}
POST /api/context
GET /v1/models
GET /v1/models/{name}
"""
# In conversations: the caller's own only, for every action.
_TALK = """
GET /api/config/schema
GET POST /api/conversations
GET DELETE /api/conversations/{id}
GET /api/conversations/{id}/resting
POST /api/conversations/{id}/close
POST /api/conversations/{id}/branch
POST /api/conversations/{id}/pins
GET /api/conversations/{id}/export
GET POST /api/conversations/{id}/messages
GET /api/messages/search
GET PATCH DELETE /api/conversations/{id}/messages/{message_id}
POST /api/conversations/{id}/messages/{message_id}/regenerate
POST /api/conversations/{id}/messages/{message_id}/continue
POST /api/conversations/{id}/messages/{message_id}/choose
POST /api/conversations/{id}/messages/{message_id}/restore
POST /api/conversations/{id}/stop
GET /api/conversations/{id}/stream
GET /api/live
POST /v1/chat/completions
POST /v1/completions
POST /v1/responses
"""
_OWN = """
PATCH /api/conversations/{id}
GET POST /api/conversations/{id}/prompt
POST /api/conversations/{id}/extract
POST /api/conversations/{id}/keyframe
POST /api/conversations/{id}/analyze
POST /api/conversations/{id}/summarize
GET /api/conversations/{id}/analyses
GET /api/conversations/{id}/summaries
GET /api/conversations/{id}/interactions
GET /api/conversations/{id}/event
GET /api/conversations/{id}/readings
GET /api/conversations/{id}/messages/{message_id}/memories
GET /v1/conversations/{id}/grounds
GET /api/interactions
GET /api/interactions/{id}
GET POST /api/memories
POST /api/memories/search
POST /api/memories/merge-proposal
GET DELETE /api/memories/about-me
GET PATCH DELETE /api/memories/{id}
GET /api/memories/{id}/history
GET /api/memories/{id}/source
POST /api/memories/{id}/approve
POST /api/memories/{id}/reject
POST /api/memories/{id}/undo
POST /api/memories/{id}/correct
POST /api/memories/{id}/restore
POST /api/memories/{id}/withdraw
POST /api/memories/{id}/merge
GET POST /api/events
GET PATCH DELETE /api/events/{id}
POST /v1/embeddings
GET /api/campaigns
GET PATCH DELETE /api/campaigns/{id}
GET /api/campaigns/{id}/recap
POST /api/campaigns/{id}/logs
GET /api/campaigns/{id}/export
POST /api/campaigns/{id}/import
POST /api/campaigns/{id}/ask
GET /api/campaigns/{id}/shelves
GET POST /api/campaigns/{id}/memories
GET POST /api/campaigns/{id}/players
POST /api/campaigns/{id}/players/{player_id}/character
DELETE /api/campaigns/{id}/players/{player_id}
GET POST /api/campaigns/{id}/chapters
PATCH DELETE /api/chapters/{id}
GET POST /api/campaigns/{id}/sessions
GET PATCH DELETE /api/sessions/{id}
POST /api/sessions/{id}/join
POST /api/sessions/{id}/conversations
POST /api/sessions/{id}/end
POST /api/sessions/{id}/digest
POST /api/sessions/{id}/clear
GET /api/sessions/{id}/log
GET /api/sessions/{id}/memories
GET POST /api/campaigns/{id}/entities
GET PATCH DELETE /api/entities/{id}
POST /api/entities/{id}/merge
GET /api/entities/{id}/mentions
GET /api/campaigns/{id}/graph
GET /api/campaigns/{id}/ties
POST /api/ties
PATCH DELETE /api/ties/{id}
GET /api/campaigns/{id}/conflicts
POST /api/proposals/{id}/rule
GET /api/campaigns/{id}/proposals
POST /api/campaigns/{id}/proposals/decide
GET /api/proposals/{id}
POST /api/proposals/{id}/approve
POST /api/proposals/{id}/merge
POST /api/proposals/{id}/reject
POST /api/proposals/{id}/undo
"""


def _routes(act: Act, text: str) -> dict[str, Act]:
    """Each line has the methods of a path, and the path."""
    lines = [line.split() for line in text.strip().splitlines()]
    return {f"{method} {path}": act for *methods, path in lines for method in methods}


_ACTS: Mapping[str, Act] = {
    **_routes(Act.LOOK, _LOOK),
    **_routes(Act.MEET, _MEET),
    **_routes(Act.TALK, _TALK),
    **_routes(Act.OWN, _OWN),
}


def act_of(method: str, path: str) -> Act:
    """`path` as the route declares it, with the names of its parameters."""
    plain = path.replace(":path}", "}")
    return _ACTS.get(f"{'GET' if method == 'HEAD' else method} {plain}", Act.RUN)


def named_routes() -> frozenset[str]:
    return frozenset(_ACTS)


def operations_of(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every method and path of an OpenAPI document."""
    return [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]


def rights_table(operations: Iterable[tuple[str, str]]) -> str:
    """Which role may use which route, in Markdown."""
    lines = [["route", "act", *(role.value for role in Role)], ["---"] * (2 + len(Role))]
    for method, path in operations:
        act = act_of(method, path)
        lines.append([f"`{method} {path}`", act.value, *("yes" if may(role, act) else "–" for role in Role)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
