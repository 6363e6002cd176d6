"""Imports a finished log as a session: played at this table and digested, or for reading only (G1, G3, G12).

Its lines become the messages of one conversation, which is closed. Speakers are matched by name with the people at the
table and the characters of the workspace; unknown speakers keep their name. Start at `bring_log`.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time

from everlore.campaign.digest.jobs import digest_job
from everlore.campaign.seats import refuse_player, seat_at
from everlore.domain.bounds import Json
from everlore.domain.campaign import Campaign, Chapter, Entity, Session
from everlore.domain.conversation import Author, Conversation, ConversationState, Message
from everlore.domain.person import Person, PersonKind
from everlore.domain.scope import Scope
from everlore.domain.sessions import GM_ONLY, LOG_FILE, READ_ONLY, SPEAKER, SessionPart, with_parts
from everlore.domain.weight import weigh
from everlore.errors import Conflict, NotFound
from everlore.interchange.chats import KEPT
from everlore.interchange.report import Report
from everlore.interchange.transcriptmarks import GAME_MASTERS
from everlore.interchange.transcripts import LogLine, Transcript, read_transcript
from everlore.services.characters import Characters
from everlore.store.all_pages import all_of
from everlore.store.port import Change, Enqueue, Put
from everlore.turn.import_lock import keep_imported
from everlore.turn.resources import Resources

# Metadata key for the text before a line, if it holds more than a name.
MARK = "log_mark"
_NARRATOR = "Narrator"
_MOST_NAME = 300
# Later speakers of a file keep their names unmatched.
_MOST_MATCHED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFile:
    """Options of a log import. `day`: when it was played, for times without a date. `read_only`: played elsewhere, so
    not digested. `gm_only`: hidden from players."""

    filename: str = ""
    name: str = ""
    chapter: str | None = None
    day: date | None = None
    read_only: bool = False
    gm_only: bool = False


@dataclass(frozen=True, slots=True)
class BroughtLog:
    """`digested`: a digest is being made in the background. `report`: what was recognized in the file."""

    session: Session
    conversation: Conversation
    digested: bool
    report: Report


@dataclass(frozen=True, slots=True)
class Voices:
    """Possible speakers by lower-case name, the game master, and the owner of the log."""

    by_name: Mapping[str, Person]
    gm: Person | None
    keeper: Person
    players: frozenset[str] = field(default_factory=frozenset)

    def of(self, speaker: str) -> Person | None:
        name = speaker.casefold()
        return self.gm if name in GAME_MASTERS else self.by_name.get(name)

    def author(self, speaker: str) -> Author:
        person = self.of(speaker)
        if not speaker or speaker.casefold() in GAME_MASTERS or (person is not None and person == self.gm):
            return Author.NARRATOR
        is_played = person is None or person.id in self.players or person.kind is PersonKind.USER
        return Author.USER if is_played else Author.ASSISTANT


async def bring_log(
    resources: Resources, scope: Scope, campaign_id: str, data: bytes | str, how: LogFile, *, force: bool = False
) -> BroughtLog:
    """Refuses a log that was imported before, unless `force` is set."""
    campaign = refuse_player(await seat_at(resources.store, scope, campaign_id)).campaign
    before = await all_of(resources.store, scope, Session, {"campaign_id": campaign.id})
    digest = _digest(data)
    if not force:
        _refuse_twice(before, digest, campaign)
    seated = await _seated(resources, scope, campaign)
    transcript = await asyncio.to_thread(read_transcript, data, known=list(seated), day=how.day)
    voices = await _voices(resources, scope, campaign, seated, transcript)
    cast = _cast(voices, transcript)
    narrator = None if cast else await _narrator(resources, scope)
    session = await _session(resources, scope, campaign, how, transcript, before)
    conversation = _conversation(resources, session, voices, [*cast, *([narrator] if narrator else [])])
    messages = messages_of(transcript, conversation, campaign, voices, session.started_at, how, resources.new_id)
    session = replace(session, extra=_extra(session, conversation, messages, digest, how))
    before_it: list[Change] = [Put(narrator)] if narrator is not None else []
    after_it: list[Change] = [Put(session)]
    after_it += [] if how.read_only else [Enqueue(digest_job(session, resources.clock(), resources.new_id))]
    await keep_imported(resources, scope, conversation, messages, besides=before_it, after=after_it)
    kept = await resources.store.get(scope, Conversation, conversation.id)
    return BroughtLog(session, kept, not how.read_only, transcript.report)


# ── messages and session ─────────────────────────────────────────────────────────────────────────


def messages_of(
    transcript: Transcript,
    conversation: Conversation,
    campaign: Campaign,
    voices: Voices,
    at: datetime,
    how: LogFile,
    new_id: Callable[[], str],
) -> list[Message]:
    """A line without a time gets the time of the line before it; the first lines get `at`."""
    everybody = (voices.keeper.id, campaign.gm_id, *campaign.player_ids)
    there = tuple(dict.fromkeys(each for each in everybody if each is not None))
    alone = (campaign.gm_id or voices.keeper.id,)
    messages = []
    for line in transcript.lines:
        at = line.at or at
        hidden = how.gm_only or line.gm_only
        made = _message(line, conversation, voices, new_id(), at)
        kept = _metadata(line, voices.of(line.speaker), hidden=hidden)
        messages.append(replace(made, present=alone if hidden else there, metadata=kept))
    return messages


def _message(line: LogLine, conversation: Conversation, voices: Voices, id: str, at: datetime) -> Message:
    person, chat = voices.of(line.speaker), line.chat
    content = line.text or line.mark.strip()
    return Message(
        workspace=conversation.workspace,
        id=id,
        conversation_id=conversation.id,
        author=voices.author(line.speaker),
        person_id=person.id if person is not None else None,
        content=content,
        alternatives=chat.alternatives if chat else (),
        chosen=chat.chosen if chat else 0,
        hidden=bool(chat and chat.hidden),
        weight=weigh(content),
        created_at=at,
        updated_at=at,
    )


def _metadata(line: LogLine, person: Person | None, *, hidden: bool) -> Json:
    kept: Json = {}
    if line.speaker and (person is None or person.name != line.speaker):
        kept[SPEAKER] = line.speaker[:_MOST_NAME]
    if hidden:
        kept[GM_ONLY] = True
    if line.mark.strip(" *_:<>[]\t") not in ("", line.speaker):
        kept[MARK] = line.mark
    if line.chat is not None:
        kept[KEPT] = line.chat.kept
    return kept


async def _session(
    resources: Resources,
    scope: Scope,
    campaign: Campaign,
    how: LogFile,
    transcript: Transcript,
    before: Sequence[Session],
) -> Session:
    now = resources.clock()
    times = [each.at for each in transcript.lines if each.at is not None]
    day = datetime.combine(how.day, time(), UTC) if how.day else now
    return Session(
        workspace=scope.workspace,
        id=resources.new_id(),
        campaign_id=campaign.id,
        chapter_id=await _chapter(resources, scope, campaign, how.chapter),
        number=max((each.number for each in before), default=0) + 1,
        name=how.name or _title(how.filename),
        started_at=min(times, default=day),
        ended_at=max(times, default=day),
        created_at=now,
        updated_at=now,
    )


def _conversation(resources: Resources, session: Session, voices: Voices, cast: Sequence[Person]) -> Conversation:
    now = resources.clock()
    return Conversation(
        workspace=session.workspace,
        id=resources.new_id(),
        title=session.name or f"Session {session.number}",
        state=ConversationState.CLOSED,
        system_ids=tuple(each.id for each in cast),
        user_id=voices.keeper.id,
        campaign_id=session.campaign_id,
        config={"auto_title": False},
        created_at=now,
        updated_at=now,
        closed_at=now,
    )


def _extra(
    session: Session, conversation: Conversation, messages: Sequence[Message], digest: str, how: LogFile
) -> Json:
    """A log whose lines are all the game master's is hidden from players."""
    is_open = not all(each.metadata.get(GM_ONLY) for each in messages)
    count = len(messages)
    part = SessionPart(conversation.id, first_seq=1, last_seq=count, open=is_open)
    file: Json = {"sha256": digest, "filename": _title(how.filename), READ_ONLY: how.read_only}
    return {**with_parts(session, [part]), LOG_FILE: file}


def _digest(data: bytes | str) -> str:
    """Hash of the text with unified line endings, which differ between systems."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").strip()).hexdigest()


def _refuse_twice(sessions: Iterable[Session], digest: str, campaign: Campaign) -> None:
    for each in sessions:
        kept = each.extra.get(LOG_FILE)
        if isinstance(kept, dict) and kept.get("sha256") == digest:
            called = f", {each.name}," if each.name else ""
            raise Conflict(
                f"This log is session {each.number}{called} of {campaign.name} already. "
                "Delete that session first, or import the log again with force."
            )


def _title(filename: str) -> str:
    stem = filename.replace("\\", "/").rpartition("/")[2]
    stem = stem.rpartition(".")[0] or stem
    return "".join(each if each.isprintable() else " " for each in stem).strip()[:200]


# ── speakers ─────────────────────────────────────────────────────────────────────────────────────


async def _seated(resources: Resources, scope: Scope, campaign: Campaign) -> dict[str, Person]:
    """The people at the table by each of their names, including the names of the characters they play."""
    ids = [*([campaign.gm_id] if campaign.gm_id else []), *campaign.player_ids]
    people = {each.id: each for each in await resources.store.get_many(scope, Person, ids)}
    found = await all_of(resources.store, scope, Entity, {"campaign_id": campaign.id})
    played = [each for each in found if each.person_id is not None]
    missing = [each.person_id for each in played if each.person_id is not None and each.person_id not in people]
    people |= {each.id: each for each in await resources.store.get_many(scope, Person, missing)}
    names = {name: people[each.person_id] for each in played if each.person_id in people for name in _names(each)}
    return names | {each.name: each for each in people.values()}


def _names(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases)


async def _voices(
    resources: Resources, scope: Scope, campaign: Campaign, seated: Mapping[str, Person], transcript: Transcript
) -> Voices:
    by_name = {name.casefold(): each for name, each in seated.items()}
    strangers = [each for each in transcript.speakers if each.casefold() not in by_name]
    for name in [each for each in strangers if 0 < len(each.strip()) <= _MOST_NAME][:_MOST_MATCHED]:
        page = await resources.store.find(scope, Person, {"name": name}, limit=1)
        by_name |= {name.casefold(): each for each in page.items}
    gm = next((each for each in seated.values() if each.id == campaign.gm_id), None)
    is_human = gm is not None and gm.kind is PersonKind.USER
    keeper = gm if gm is not None and is_human else await Characters(scope, resources).user()
    return Voices(by_name, gm, keeper, frozenset(campaign.player_ids))


def _cast(voices: Voices, transcript: Transcript) -> list[Person]:
    """The characters among the speakers, and the one that runs the game."""
    found = [voices.of(each) for each in transcript.speakers]
    people = [each for each in (voices.gm, *found) if each is not None and each.kind is not PersonKind.USER]
    return list({each.id: each for each in people}.values())


async def _narrator(resources: Resources, scope: Scope) -> Person:
    """The narrator, as the character of a conversation in which only players speak."""
    where = {"name": _NARRATOR, "kind": PersonKind.NARRATOR.value}
    page = await resources.store.find(scope, Person, where, limit=1)
    now = resources.clock()
    made = Person(
        workspace=scope.workspace,
        id=resources.new_id(),
        kind=PersonKind.NARRATOR,
        name=_NARRATOR,
        created_at=now,
        updated_at=now,
    )
    return page.items[0] if page.items else made


async def _chapter(resources: Resources, scope: Scope, campaign: Campaign, id: str | None) -> str | None:
    found = await all_of(resources.store, scope, Chapter, {"campaign_id": campaign.id})
    if id is None:
        return next((each.id for each in reversed(found) if each.closed_at is None), None)
    if id not in {each.id for each in found}:
        raise NotFound(f"There is no chapter {id!r} in {campaign.name}. Its chapters are listed with it.")
    return id
