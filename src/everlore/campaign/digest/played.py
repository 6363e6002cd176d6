"""A session prepared for reading: with its campaign, world and narrators. Start at `played_of`."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from everlore.campaign.digest.background import Background
from everlore.campaign.digest.drafting import CLOSED_IN
from everlore.campaign.digest.quoting import is_table_talk
from everlore.campaign.entities.names import Sighting, SpokenMessage, sightings
from everlore.campaign.logs import heard, lines_in, log_of
from everlore.campaign.naming import known_of, names_of
from everlore.campaign.roles import Roles, speaker_names
from everlore.campaign.spoilers import Spoiler, Spoilers, spoilers_of
from everlore.domain.campaign import Campaign, Chapter, Entity, Session
from everlore.domain.conversation import Author
from everlore.domain.memory import Memory, MemoryType, Status
from everlore.domain.person import Person, PersonKind
from everlore.domain.scope import Scope
from everlore.domain.visibility import is_marked
from everlore.learning.segments.transcript import TranscriptLine
from everlore.learning.segments.vetting import sentences_of
from everlore.store.all_pages import all_of
from everlore.store.port import Store

R = TypeVar("R", Entity, Memory)
# The current character of a player, and the one before it, who may have died in this session.
_MOST_ROLES = 2

_NARRATORS = frozenset({"gm", "dm", "game master", "dungeon master", "narrator", "keeper", "storyteller", "referee"})


@dataclass(frozen=True, slots=True)
class Played:
    """A session prepared for reading: its narrators, all lines, and the lines that the players heard."""

    campaign: Campaign
    session: Session
    lines: tuple[TranscriptLine, ...]
    heard: tuple[TranscriptLine, ...]
    # Lines said at the table that give away spoilers.
    spoilt: tuple[TranscriptLine, ...]
    narrators: frozenset[str]
    entities: tuple[Entity, ...]
    sightings: tuple[Sighting, ...]
    # The names of everyone at the table, silent or not.
    seated: tuple[str, ...]
    spoilers: Spoilers
    # Threads that earlier sessions left open, or that this one closed when it was read before.
    threads: tuple[Memory, ...] = ()
    # The summaries of the session before, for everyone and for the game master.
    before: tuple[Memory, ...] = ()
    people: tuple[Person, ...] = ()
    chapter: Chapter | None = None

    @property
    def hidden(self) -> frozenset[str]:
        """The ids of messages that the players did not hear, or that give away spoilers."""
        return frozenset(each.message.id for each in self.lines) - {each.message.id for each in self.heard}

    def background(self, *, whole: bool) -> Background:
        """What the game master knows, with `whole`; or what all players know."""

        def known(records: Iterable[R]) -> tuple[R, ...]:
            return tuple(each for each in records if whole or not is_marked(each))

        entities, before = known(self.entities), known(self.before)
        names = {each.id: each.name for each in self.people}
        roles = Roles(self.campaign, entities, names)
        played = [(names[id], role) for id in names for role in roles.of(id)[-_MOST_ROLES:]]
        return Background(
            premise=self.campaign.premise,
            chapter=self.chapter,
            cast=tuple(f"{name} {'played' if each.died else 'plays'} {each.entity.name}" for name, each in played),
            entities=entities,
            threads=known(self.threads),
            before=max(before, key=is_marked).content if before else "",
        )

    def given_away(self, line: TranscriptLine) -> tuple[Spoiler, ...]:
        return self.spoilers.given_away(line.text, self.session.id)

    @property
    def names(self) -> tuple[str, ...]:
        """All names of the entities in the session, as used in it and elsewhere."""
        known = [name for each in self.entities for name in names_of(each)]
        return tuple(dict.fromkeys((*known, *(name for each in self.sightings for name in (each.name, *each.aliases)))))


async def played_of(store: Store, scope: Scope, session_id: str) -> Played | None:
    """None if the session no longer exists."""
    sessions = await store.get_many(scope, Session, [session_id])
    campaigns = await store.get_many(scope, Campaign, [sessions[0].campaign_id]) if sessions else []
    if not campaigns:
        return None
    session, campaign = sessions[0], campaigns[0]
    messages = await log_of(store, scope, session)
    lines = lines_in(messages, await speaker_names(store, scope, campaign, messages))
    spoilers = await spoilers_of(store, scope, campaign)
    open_ids = {each.id for each in heard(campaign, session, messages)}
    told = tuple(each for each in lines if each.message.id in open_ids)
    chapters = await store.get_many(scope, Chapter, [session.chapter_id] if session.chapter_id else [])
    entities = await all_of(store, scope, Entity, {"campaign_id": campaign.id})
    at_table = [*campaign.player_ids, *([campaign.gm_id] if campaign.gm_id else [])]
    people = [each for each in await store.get_many(scope, Person, at_table) if each.kind is PersonKind.USER]
    seated = tuple(each.name for each in people)
    narrators = narrators_of(campaign, lines)
    return Played(
        campaign=campaign,
        session=session,
        lines=lines,
        heard=tuple(each for each in told if not spoilers.given_away(each.text, session.id)),
        spoilt=tuple(each for each in told if spoilers.given_away(each.text, session.id)),
        narrators=narrators,
        entities=tuple(entities),
        sightings=sightings(spoken(lines), known_of(entities), players=seated, narrators=narrators),
        seated=seated,
        spoilers=spoilers,
        threads=await _threads(store, scope, session),
        before=await _summaries_before(store, scope, session),
        people=tuple(each for each in people if each.id != campaign.gm_id),
        chapter=chapters[0] if chapters else None,
    )


async def _threads(store: Store, scope: Scope, session: Session) -> tuple[Memory, ...]:
    """Oldest first."""
    where = {
        "campaign_id": session.campaign_id,
        "type": MemoryType.PLOT_THREAD.value,
        "status": Status.ACTIVE.value,
    }
    found = [each for each in await all_of(store, scope, Memory, where) if each.session_id != session.id]
    return tuple(each for each in found if each.valid_to is None or each.extra.get(CLOSED_IN) == session.id)


async def _summaries_before(store: Store, scope: Scope, session: Session) -> tuple[Memory, ...]:
    sessions = await all_of(store, scope, Session, {"campaign_id": session.campaign_id})
    earlier = [each for each in sessions if each.number < session.number]
    if not earlier:
        return ()
    last = max(earlier, key=lambda each: each.number)
    where = {"session_id": last.id, "type": MemoryType.SUMMARY.value, "status": Status.ACTIVE.value}
    return tuple(await all_of(store, scope, Memory, where))


def narrators_of(campaign: Campaign, lines: Collection[TranscriptLine]) -> frozenset[str]:
    """The names of the narrators: the game master, and speakers called so."""
    return frozenset(each.name for each in lines if _narrates(campaign, each))


def _narrates(campaign: Campaign, line: TranscriptLine) -> bool:
    message = line.message
    if message.author is Author.NARRATOR or line.name.casefold() in _NARRATORS:
        return True
    return message.person_id is not None and message.person_id == campaign.gm_id


def spoken(lines: Sequence[TranscriptLine]) -> list[SpokenMessage]:
    """The lines for the name finder, without talk about the game."""
    return [SpokenMessage(each.message.id, each.name, _played(each.text)) for each in lines]


def _played(text: str) -> str:
    sentences = sentences_of(text)
    kept = [each for each in sentences if not is_table_talk(each)]
    return text if len(kept) == len(sentences) else " ".join(kept)
