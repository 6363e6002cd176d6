"""What somebody is shown at the table of a game, over REST and MCP: its pages, its world, its logs, what is told of it
and what goes out into files; each answer held word by word against the ledger (G9).

Whoever asks has a seat or has none, runs the game or plays in it, or owns it all and looks with a player's eyes. Start
at `Tables.ways`.
"""

import io
import zipfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.leaks.doors import GUEST, MEMBER
from tests.leaks.ledger import ACTIVE, Game, Ledger, Scrap, State, marked

if TYPE_CHECKING:
    from tests.leaks.reads import Reader

Way = Callable[[], Awaitable[None]]
_PAGES = ("", "/recap", "/story", "/shelves", "/memories", "/chapters", "/sessions", "/entities", "/graph", "/ties")
_OF_MASTERS = ("/proposals", "/conflicts")
# The same for everybody at the table.
_FOR_ALL = ("/chapters",)
_OF_ENTITY = ("", "/mentions")
_OF_SESSION = ("", "/log", "/memories")
_FORMATS = ("vault", "lorebook")
_TOOLS = ("previously_on", "ask_campaign", "campaign_world", "campaign_review", "list_campaigns")


@dataclass(frozen=True)
class Eyes:
    """Whose words may be seen: those of a person, or of nobody but the table as a whole."""

    by: str
    role: str
    player: str | None = None


@dataclass(frozen=True)
class Tables:
    reader: "Reader"

    @property
    def ways(self) -> dict[str, tuple[Way, float]]:
        """Each with how often it is gone."""
        often = 2.0 if self.reader.at_tables else 0.4
        return {
            **{f"table{each}": (partial(self.page, each), often) for each in _PAGES},
            **{f"master's{each}": (partial(self.page, each), often) for each in _OF_MASTERS},
            **{f"entity{each}": (partial(self.entity, each), often) for each in _OF_ENTITY},
            **{f"session{each}": (partial(self.session, each), often) for each in _OF_SESSION},
            **{f"export {each}": (partial(self.export, each), often / 2) for each in _FORMATS},
            **{f"MCP {each}": (partial(self.tool, each), often) for each in _TOOLS},
            "games": (self.games, often),
            "one proposal": (self.proposal, often),
            "ask": (self.ask, 2 * often),
        }

    @property
    def ledger(self) -> Ledger:
        return self.reader.ledger

    # ── pages ────────────────────────────────────────────────────────────────────────────────────

    async def games(self) -> None:
        eyes, _ = self._eyes()
        text = await self.reader.doors.text("GET", "/api/campaigns", by=eyes.by, role=eyes.role)
        self._hold(text, set(), f"games for {eyes}")

    async def page(self, part: str) -> None:
        eyes, game = self._eyes()
        query: dict[str, Any] = {} if eyes.player is None or part in _OF_MASTERS + _FOR_ALL else {"player": eyes.player}
        if part == "/memories" and self.reader.dice.random() < 0.5:
            query["status"] = ["active", "pending", "superseded", "rejected"]
        route = f"/api/campaigns/{{id}}{part}"
        text = await self.reader.doors.text("GET", route, by=eyes.by, role=eyes.role, query=query, id=game.id)
        seen = self._seen(eyes, game) if part not in _OF_MASTERS or eyes.player is None else None
        self._hold(text, self._seen(Eyes(eyes.by, eyes.role), game) if seen is None else seen, f"{route} for {eyes}")

    async def entity(self, part: str) -> None:
        eyes, game = self._eyes()
        things = [each.id for each in self.ledger.scraps.values() if each.game == game.id and each.name]
        if things:
            route = f"/api/entities/{{id}}{part}"
            await self._read(route, eyes, game, self.reader.dice.choice(things))

    async def session(self, part: str) -> None:
        eyes, game = self._eyes()
        sessions = sorted({each.session for each in self.ledger.talks.values() if each.game == game.id})
        if sessions:
            await self._read(f"/api/sessions/{{id}}{part}", eyes, game, self.reader.dice.choice(sessions))

    async def proposal(self) -> None:
        eyes, game = self._eyes()
        kept = [each.id for each in self.ledger.scraps.values() if each.game == game.id and "proposal" in each.id]
        if kept:
            text = await self.reader.doors.text(
                "GET", "/api/proposals/{id}", by=eyes.by, role=eyes.role, id=self.reader.dice.choice(kept)
            )
            self._hold(text, self._seen(Eyes(eyes.by, eyes.role), game), f"a proposal of {game.id} for {eyes}")

    async def export(self, format: str) -> None:
        eyes, game = self._eyes()
        query = {"format": format} | ({} if eyes.player is None else {"player": eyes.player})
        answer = await self.reader.doors.ask(
            "GET", "/api/campaigns/{id}/export", by=eyes.by, role=eyes.role, query=query, id=game.id
        )
        self._hold(_unpacked(answer.content), self._seen(eyes, game), f"export {format} of {game.id} for {eyes}")

    async def ask(self) -> None:
        eyes, game = self._eyes()
        body: dict[str, Any] = {"question": self._question(), "with_model": False, "limit": 30}
        body |= {} if eyes.player is None else {"player": eyes.player}
        route = "/api/campaigns/{id}/ask"
        text = await self.reader.doors.text("POST", route, by=eyes.by, role=eyes.role, body=body, id=game.id)
        self._hold(text, self._seen(eyes, game) | marked(str(body["question"])), f"{route} for {eyes}")

    async def tool(self, name: str) -> None:
        eyes, game = self._eyes(seated=True)
        given: dict[str, Any] = {} if name == "list_campaigns" else {"campaign": game.id}
        aloud = name in ("previously_on", "ask_campaign", "campaign_world") and self.reader.dice.random() < 0.5
        if name in ("previously_on", "ask_campaign", "campaign_world"):
            given["for_players"] = aloud
        if name == "ask_campaign":
            given["question"] = self._question()
        is_masters = name == "campaign_review" and eyes.by and game.gm != eyes.by
        if is_masters:
            return
        told = await self.reader.doors.tool(name, given, by=eyes.by)
        runs = not eyes.by or game.gm == eyes.by
        seen = self._seen(Eyes(eyes.by, MEMBER, "" if aloud and runs else None), game)
        self._hold(str(told), seen | marked(str(given)), f"MCP {name} of {game.id} for {eyes}")

    async def _read(self, route: str, eyes: Eyes, game: Game, id: str) -> None:
        query = {} if eyes.player is None else {"player": eyes.player}
        text = await self.reader.doors.text("GET", route, by=eyes.by, role=eyes.role, query=query, id=id)
        self._hold(text, self._seen(eyes, game), f"{route} {id} for {eyes}")

    # ── who may ──────────────────────────────────────────────────────────────────────────────────

    def _eyes(self, *, seated: bool = False) -> tuple[Eyes, Game]:
        """Somebody and a game, mostly one that they sit at; the owner looks as themselves, or as players do."""
        dice, game = self.reader.dice, self.reader.dice.choice(list(self.ledger.games.values()))
        at_table = sorted(game.everybody & self.ledger.humans)
        if dice.random() < 0.3:
            player = dice.choice([None, "", *sorted(game.players)])
            return Eyes("", MEMBER, None if seated else player), game
        if seated or dice.random() < 0.75:
            by = dice.choice(at_table)
            player = dice.choice([None, None, ""]) if not seated else None
            return Eyes(by, MEMBER, player), game
        return Eyes(self.reader._human(), dice.choice([MEMBER, GUEST])), game

    def _seen(self, eyes: Eyes, game: Game) -> set[str]:
        """Every word that these eyes may see at this table."""
        if not eyes.by and eyes.player is None:
            return self._all(game)
        if eyes.by and (eyes.role == GUEST or eyes.by not in game.everybody):
            return set()
        if eyes.player is not None and (not eyes.by or eyes.by == game.gm):
            return self._played(game, eyes.player or None)
        if eyes.by == game.gm:
            return self._run(game, eyes.by)
        return self._played(game, eyes.by)

    def _all(self, game: Game) -> set[str]:
        facts = [state for each in self.ledger.facts.values() for state in each.states if state.game == game.id]
        scraps = [each for each in self.ledger.scraps.values() if each.game == game.id]
        return _words([*facts, *scraps]) | self._said(game, behind=True) | self._thought(game)

    def _thought(self, game: Game, thinker: str | None = None) -> set[str]:
        """All thoughts in its open logs and closed ones; or those of one thinker, where players may read the log."""
        talks = [each for each in self.ledger.talks.values() if each.game == game.id and (not thinker or each.is_open)]
        return {word for each in talks for word in self.ledger.thoughts_in(each, thinker)}

    def _run(self, game: Game, person: str) -> set[str]:
        """Whoever runs it sees what happened in it, but for secrets of others."""
        facts = [
            each.now
            for each in self.ledger.facts.values()
            if each.now.game == game.id and self.ledger.is_seen(each.id, each.now, person)
        ]
        scraps = [each for each in self.ledger.scraps.values() if each.game == game.id]
        return _words([*facts, *scraps]) | self._said(game, behind=True)

    def _played(self, game: Game, person: str | None) -> set[str]:
        """Canon, and what they know themselves; nothing that players must not know."""
        facts = [each.now for each in self.ledger.facts.values() if self._is_players(each.now, each.id, game, person)]
        scraps = [
            each
            for each in self.ledger.scraps.values()
            if each.game == game.id and not each.is_spoiler and (_is_canon(each) or person in each.persons)
        ]
        own_thoughts = self._thought(game, person) if person else set[str]()
        return _words([*facts, *scraps]) | self._said(game, behind=False) | own_thoughts

    def _is_players(self, state: State, fact: str, game: Game, person: str | None) -> bool:
        if state.game != game.id or state.is_spoiler:
            return False
        if person is not None and self.ledger.knows(person, fact):
            return True
        return not state.persons and state.visibility == "normal" and state.status == ACTIVE

    def _said(self, game: Game, *, behind: bool) -> set[str]:
        """The lines of its log that were said at the table; `behind`: behind the screen too."""
        talks = {each.id for each in self.ledger.talks.values() if each.game == game.id and (behind or each.is_open)}
        lines = [each for each in self.ledger.lines.values() if each.talk in talks]
        return {word for each in lines for word in each.words | each.before}

    # ── chance ───────────────────────────────────────────────────────────────────────────────────

    def _question(self) -> str:
        return f"What of {self.reader._handle()}?"

    def _hold(self, text: str, may: set[str], how: str) -> None:
        for word in sorted(marked(text) - may):
            self.reader._hold_word(False, word, how)


def _is_canon(scrap: Scrap) -> bool:
    return scrap.is_of_world or not scrap.persons


def _words(kept: "list[State | Scrap]") -> set[str]:
    return {word for each in kept for word in each.words}


def _unpacked(data: bytes) -> str:
    """A vault is a zip: its names, and all that stands in it."""
    if not data.startswith(b"PK"):
        return data.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return "\n".join(
            [*packed.namelist(), *(packed.read(name).decode(errors="replace") for name in packed.namelist())]
        )
