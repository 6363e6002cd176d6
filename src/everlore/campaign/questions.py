"""Answers questions from the campaign's record, with sources, for a game master or a player (G9).

Without a model the passages are the answer. With one, each of its statements cites passages; a statement without a
source, or with a name that its passages lack, is dropped. Start at `Asking.ask`.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.logs import heard
from everlore.campaign.naming import all_entities, index_of
from everlore.campaign.recap import name_of
from everlore.campaign.relevance import CampaignQuestion, PassageCandidate, is_question, ranked
from everlore.campaign.roles import speaker_names
from everlore.campaign.seats import Seat, seat_at
from everlore.campaign.showing import shown, shown_sessions
from everlore.campaign.spoilers import Spoilers, spoilers_of
from everlore.domain.blocks import resource
from everlore.domain.bounds import Json
from everlore.domain.campaign import Entity, Session
from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Message
from everlore.domain.display import display
from everlore.domain.event import Event
from everlore.domain.memory import Memory, Origin
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.domain.sessions import GM_ONLY, Sittings
from everlore.domain.visibility import Viewer, is_marked
from everlore.errors import BadAsk, ModelUnavailable
from everlore.learning.answers import line_in, list_in
from everlore.learning.asking import INTEGER, TEXT, asked, instructions, list_of, object_of
from everlore.learning.segments.transcript import clip
from everlore.learning.segments.vetting import told_in, unheard_of
from everlore.models.chat import Ask, Purpose, Said
from everlore.recall.pipeline import recall
from everlore.recall.question import RecallQuery
from everlore.recall.recipes import CAMPAIGN_ASK
from everlore.store.all_pages import all_of
from everlore.turn.background_model import Thinking
from everlore.turn.resources import Resources, reading_of

NOT_IN_THE_RECORD = "Not in the record."
_PERHAPS_NOT = "Perhaps not in the record. These come closest:"
_ROOM = "everlore.campaign"
# More candidates than are shown, because the caller may not see all of them.
_LOOKED_AT = 60
_MOST_PASSAGES = 12
_MOST_STATEMENTS = 12
_MOST_CHARS = 1_200
_MOST_QUESTION = 4_000
_MOST_BESIDE = 400
_ANSWER_TOKENS = 1_200
_TEMPERATURE = 0.2
_LINES = frozenset({PassageKind.MESSAGE})
# A conversation and the number of a line in it.
Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class LineBeside:
    """The line said before or after a passage."""

    message_id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A cited memory, log line, event or entity. `session` and `message_id` say where it was said, `before` and `after`
    what was said around it; `is_doubtful`: the best match, but perhaps not what the question meant."""

    number: int
    kind: PassageKind
    id: str
    text: str
    speaker: str = ""
    session: Session | None = None
    message_id: str | None = None
    is_doubtful: bool = False
    before: LineBeside | None = None
    after: LineBeside | None = None

    @property
    def place(self) -> str:
        return name_of(self.session) if self.session else ""

    @property
    def beside(self) -> tuple[LineBeside, ...]:
        return tuple(each for each in (self.before, self.after) if each is not None)

    @property
    def excerpt(self) -> str:
        """The passage with the lines around it."""
        own = f"{self.speaker}: {self.text}" if self.speaker else self.text
        before, after = (_spoken(each) if each else "" for each in (self.before, self.after))
        return "\n".join(each for each in (before, own, after) if each)


@dataclass(frozen=True, slots=True)
class AnswerStatement:
    text: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AnswerWithSources:
    """`statements` is empty if no model answered: then the passages are the answer."""

    question: str
    statements: tuple[AnswerStatement, ...]
    passages: tuple[CitedPassage, ...]
    model: str = ""

    @property
    def text(self) -> str:
        """The whole answer as text."""
        if self.statements:
            return "\n".join(f"{each.text} {_marks(each.passages)}" for each in self.statements)
        if not self.passages:
            return NOT_IN_THE_RECORD
        if all(each.is_doubtful for each in self.passages):
            return "\n".join((_PERHAPS_NOT, "", *map(_quoted, self.passages)))
        first, *others = (_quoted(each) for each in self.passages)
        return "\n".join((first, *(("", *others) if others else ())))


class Asking:
    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources
        self._store = resources.store

    async def ask(
        self,
        campaign: str,
        question: str,
        *,
        player: str | None = None,
        before: Sequence[tuple[str, str]] = (),
        limit: int = _MOST_PASSAGES,
        with_model: bool = True,
    ) -> AnswerWithSources:
        """`player`: answer as for that player, "" as for any. `before`: earlier questions and answers, oldest first."""
        if not question.strip():
            raise BadAsk("The question is empty. Ask about a person, place or thing of the campaign.")
        seat = await seat_at(self._store, self._scope, campaign, player=player)
        passages = await self._passages(seat, _with_before(question, before), limit)
        statements, model = await self._said(question, before, passages) if with_model and passages else ((), "")
        return AnswerWithSources(question, statements, passages, model)

    async def _passages(self, seat: Seat, words: str, limit: int) -> tuple[CitedPassage, ...]:
        index = index_of(await all_entities(self._store, self._scope, seat))
        looked_for = RecallQuery(
            text=_by_all_names(words, index),
            viewer=seat.viewer,
            campaign_id=seat.campaign.id,
            recipe=CAMPAIGN_ASK,
            limit=_LOOKED_AT,
        )
        # Search all lines: only sessions know which lines were played and who heard them.
        everybody = Viewer(workspace=seat.campaign.workspace, sees_all=True, runs=frozenset({seat.campaign.id}))
        any_line = replace(looked_for, viewer=everybody, campaign_id=None, kinds=_LINES)
        house, reading = Scope(self._scope.workspace), reading_of(self._resources)
        answers = await asyncio.gather(recall(house, looked_for, reading), recall(house, any_line, reading))
        found = [each for answer in answers for each in answer.answer()]
        told = await self._lines_around(found)
        found, asked = _with_answers(found, told)
        sessions = await all_of(self._store, self._scope, Session, {"campaign_id": seat.campaign.id})
        played = Sittings(sessions)
        seen = await self._seen(seat, played, [*(each.record for each in found), *told.values()])
        lines = [each for each in seen.values() if isinstance(each, Message)]
        names = await speaker_names(self._store, self._scope, seat.campaign, lines)
        kept = _once([each for each in found if each.record.id in seen])
        best = max((each.score for each in kept), default=0.0) or 1.0
        candidates = [_candidate(each, each.score / best, seen.get(_id_of(asked, each.record))) for each in kept]
        order = ranked(CampaignQuestion.of(words, index), candidates, index)
        by_id = {each.id: each for each in shown_sessions(seat, sessions)}
        said = {place: each for place, each in told.items() if each.id in seen}
        passages: list[CitedPassage] = []
        for each in order:
            found_at = kept[each.at]
            if not any(found_at.record.id == line.message_id for earlier in passages for line in earlier.beside):
                passage = _passage(len(passages) + 1, found_at, played, by_id, names)
                passage = replace(passage, is_doubtful=passage.is_doubtful or each.is_weak)
                passages.append(_with_lines(passage, found_at.record, said, played, names))
        return tuple(passages[:limit])

    async def _lines_around(self, found: Sequence[Recalled]) -> dict[Place, Message]:
        """The lines that were found, and those before and after them, by their places."""
        lines = [each.record for each in found if isinstance(each.record, Message)]
        beside: dict[str, set[int]] = {}
        for each in lines:
            beside.setdefault(each.conversation_id, set()).update((each.seq - 1, each.seq + 1))
        told = {_place(each): each for each in lines}
        for id, seqs in beside.items():
            where = {"conversation_id": id, "seq": tuple(sorted(seqs))}
            page = await self._store.find(self._scope, Message, where, limit=len(seqs))
            told |= {_place(each): each for each in page.items}
        return told

    async def _seen(self, seat: Seat, played: Sittings, records: Iterable[Record]) -> dict[str, Record]:
        """The records that this seat may read: log lines that they heard, and anything else they may see."""
        wanted = list(records)
        messages = [each for each in wanted if isinstance(each, Message)]
        # An entity with only a name answers nothing.
        others = [
            each
            for each in wanted
            if isinstance(each, Memory | Event) or (isinstance(each, Entity) and each.description.strip())
        ]
        kept: list[Record] = [*await shown(self._store, self._scope, seat, others)]
        spoilers = None if seat.runs or not messages else await spoilers_of(self._store, self._scope, seat.campaign)
        for message in messages:
            sessions = played.sessions_of(message)
            if any(spoilers is None or _is_theirs(seat, each, message, spoilers) for each in sessions):
                kept.append(message)
        return {each.id: each for each in kept}

    async def _said(
        self, question: str, before: Sequence[tuple[str, str]], passages: Sequence[CitedPassage]
    ) -> tuple[tuple[AnswerStatement, ...], str]:
        thinking = Thinking(self._resources.backends, self._resources.slots, self._resources.troubles)
        asker = await thinking.asker(self._scope, Purpose.ANALYSIS, ConversationConfig(), in_background=False)
        if asker is None:
            return (), ""
        try:
            found = await asked(asker, _ask(question, before, passages), _read, what="an answer of the record")
        except ModelUnavailable:
            return (), ""
        statements = _borne_out(found or (), passages, question)
        return statements, asker.name if statements else ""


def _with_answers(
    found: Sequence[Recalled], told: Mapping[Place, Message]
) -> tuple[list[Recalled], dict[str, Message]]:
    """The results plus the lines after questions, as possible answers; and the question before each line, by its id."""
    lines = {_place(each.record): each for each in found if isinstance(each.record, Message)}
    asked = {(id, seq + 1): line for (id, seq), line in told.items() if is_question(_text_of(line))}
    answers = [
        replace(lines[id, seq - 1], record=told[id, seq])
        for id, seq in asked.keys() & told.keys() - lines.keys()
        if (id, seq - 1) in lines
    ]
    return [*found, *answers], {told[place].id: line for place, line in asked.items() if place in told}


def _with_lines(
    passage: CitedPassage,
    record: Record,
    said: Mapping[Place, Message],
    played: Sittings,
    names: Mapping[str, str],
) -> CitedPassage:
    """A line makes little sense alone: with what was said before and after it, in the same session."""
    if not isinstance(record, Message):
        return passage
    own = {each.id for each in played.sessions_of(record)}

    def beside(by: int) -> LineBeside | None:
        line = said.get((record.conversation_id, record.seq + by))
        text = _text_of(line) if line is not None else ""
        if line is None or not text or own.isdisjoint(each.id for each in played.sessions_of(line)):
            return None
        return LineBeside(line.id, names.get(line.id, ""), clip(text, _MOST_BESIDE))

    return replace(passage, before=beside(-1), after=beside(1))


def _is_theirs(seat: Seat, session: Session, message: Message, spoilers: Spoilers) -> bool:
    return bool(heard(seat.campaign, session, [message])) and not spoilers.hide(seat.viewer, session, message)


def _by_all_names(words: str, index: MentionIndex) -> str:
    """The question with all names of the entities in it, because the log may use another one."""
    meant = {each.id for each in index.find(words)}
    names = (name for entry in index.directory.entries if entry.known.id in meant for name in entry.known.names)
    return " ".join(dict.fromkeys((words, *names)))


def _once(found: Sequence[Recalled]) -> list[Recalled]:
    """The results without memories that only repeat a line among them."""
    lines = {each.record.id for each in found if isinstance(each.record, Message)}
    return [each for each in found if not (isinstance(each.record, Memory) and _repeats(each.record, lines))]


def _repeats(memory: Memory, lines: set[str]) -> bool:
    return memory.origin is Origin.DIGEST and bool(lines.intersection(memory.source_message_ids))


def _id_of(asked: Mapping[str, Message], record: Record) -> str:
    return asked[record.id].id if record.id in asked else ""


def _candidate(found: Recalled, score: float, question: Record | None) -> PassageCandidate:
    return PassageCandidate(
        _text_of(found.record),
        score,
        answers=_text_of(question) if question is not None else "",
        is_told=_is_told(found.record),
        is_note=_is_note(found.record),
    )


def _is_told(record: Record) -> bool:
    return not isinstance(record, Message) or record.person_id is None or bool(record.metadata.get(GM_ONLY))


def _place(message: Message) -> Place:
    return message.conversation_id, message.seq


def _is_note(record: Record) -> bool:
    is_hidden_line = isinstance(record, Message) and bool(record.metadata.get(GM_ONLY))
    return is_hidden_line or (isinstance(record, Memory) and is_marked(record))


def _with_before(question: str, before: Sequence[tuple[str, str]]) -> str:
    """“And where does she live?” needs the question before it, to know who is meant."""
    return f"{before[-1][0]} {question}" if before else question


def _passage(
    number: int, found: Recalled, played: Sittings, sessions: Mapping[str, Session], names: Mapping[str, str]
) -> CitedPassage:
    record = found.record
    session: Session | None = None
    message_id: str | None = None
    speaker = ""
    if isinstance(record, Message):
        session = next(iter(played.sessions_of(record)), None)
        message_id = record.id
        speaker = names.get(record.id, "")
    elif isinstance(record, Memory):
        session = sessions.get(record.session_id or "")
        message_id = record.source_message_ids[0] if record.source_message_ids else None
    return CitedPassage(
        number=number,
        kind=found.kind,
        id=record.id,
        text=clip(_text_of(record), _MOST_CHARS),
        speaker=speaker,
        session=session,
        message_id=message_id,
        is_doubtful=found.is_doubtful,
    )


def _spoken(line: LineBeside) -> str:
    return f"{line.speaker}: {line.text}" if line.speaker else line.text


def _text_of(record: Record) -> str:
    if isinstance(record, Entity):
        return f"{record.name}: {record.description}" if record.description else record.name
    if isinstance(record, Message):
        return display(record.content).text.strip()
    return record.content if isinstance(record, Memory | Event) else ""


def _quoted(passage: CitedPassage) -> str:
    where = f" ({passage.place})" if passage.place else ""
    return f"[{passage.number}] {passage.excerpt}{where}"


def _marks(numbers: Iterable[int]) -> str:
    return "".join(f"[{each}]" for each in numbers)


# ── answers by a model ───────────────────────────────────────────────────────────────────────────


def _ask(question: str, before: Sequence[tuple[str, str]], passages: Sequence[CitedPassage]) -> Ask:
    record: Json = {
        "passages": [{"number": each.number, "where": each.place, "text": each.excerpt} for each in passages]
    }
    talk: Json = {
        "before": [{"question": asked, "answer": clip(told, 500)} for asked, told in before[-3:]],
        "question": question[:_MOST_QUESTION],
    }
    blocks = "\n\n".join((resource("record", "record", record), resource("question", "question", talk)))
    schema = object_of(statements=list_of(object_of(text=TEXT, passages=list_of(INTEGER))))
    return Ask(
        messages=(Said("system", instructions("ask", room=_ROOM)), Said("user", blocks)),
        temperature=_TEMPERATURE,
        max_tokens=_ANSWER_TOKENS,
        schema=schema,
    )


def _read(value: object) -> tuple[AnswerStatement, ...] | None:
    items = list_in(value, "statements")
    if items is None:
        return None
    found = [_statement(each) for each in items[:_MOST_STATEMENTS]]
    return tuple(each for each in found if each is not None)


def _statement(item: object) -> AnswerStatement | None:
    if not isinstance(item, dict):
        return None
    text = line_in(item.get("text"), _MOST_CHARS)
    numbers = item.get("passages")
    cited = [each for each in numbers if type(each) is int] if isinstance(numbers, list) else []
    return AnswerStatement(text, tuple(dict.fromkeys(cited))) if text and cited else None


def _borne_out(
    statements: Iterable[AnswerStatement], passages: Sequence[CitedPassage], question: str
) -> tuple[AnswerStatement, ...]:
    by_number = {each.number: each for each in passages}
    kept: list[AnswerStatement] = []
    for each in statements:
        cited = [by_number[number] for number in each.passages if number in by_number]
        known = told_in([*(one.excerpt for one in cited), question], ())
        if cited and not unheard_of(each.text, known):
            kept.append(AnswerStatement(each.text, tuple(one.number for one in cited)))
    return tuple(kept)
