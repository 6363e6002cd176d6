"""Finds what answers a question in what is known about the user and their world.

In: a scene and a question. Out: the matching statements, best first. A memory is matched by its claim (subject and
slot); a message, or a memory without a claim, by its words. Among equals the newest wins.

Start at `known_in` and `answer_to`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from everlore.domain.claim import USER, Claim, Slot, claim_in
from everlore.domain.conversation import Author, Message
from everlore.domain.memory import said_of
from everlore.domain.person import Person
from everlore.domain.words import stems_of
from everlore.language.tense import Tense
from everlore.models.chat import Scene
from everlore.models.voice.phrases import Topic, pattern, replies, stems, synonyms
from everlore.models.voice.question import VoiceQuestion, is_question
from everlore.models.voice.second_person import to_second_person
from everlore.models.voice.text import bare, is_danger, is_said, plain, quoted, sentences

SURE, LIKELY, DOUBTFUL = 3, 2, 1

_MOST_MESSAGES = 300
_MOST_LISTED = 4
_MOST_SMALL_TALK = 5
_NO_NAMES = frozenset({"", "user", "you", "me", "player", "human", "anonymous", "guest"})
_JOINING = re.compile(r"^(?:and|but|so|also),? (\w)", re.IGNORECASE)
# A capital inside the sentence.
_NAME = re.compile(r" [A-Z]")
_OWN = frozenset({"i", "my", "we", "me"})
# People and things that somebody has: a question for one of these by name is answered by these statements first.
_HAVING = frozenset({Slot.FAMILY, Slot.FAMILY_SIZE, Slot.PARTNER, Slot.PET, Slot.POSSESSION})
_IDENTITY = (Slot.NAME, Slot.AGE, Slot.HOME, Slot.OCCUPATION)


@dataclass(frozen=True)
class VoiceSource:
    """`turned`: a memory rephrased for the user. `claim`: the structured content of a memory; messages have none."""

    text: str
    at: datetime
    place: int
    is_memory: bool = False
    turned: str | None = None
    claim: Claim | None = None

    @cached_property
    def bare(self) -> str:
        is_name = pattern("introduces").search(self.text) is not None
        return bare(self.turned or self.text) + (" my name is" if is_name else "")

    @cached_property
    def stems(self) -> frozenset[str]:
        about = f"{self.claim.subject} {self.claim.slot or ''}" if self.claim else ""
        return frozenset(stems_of(bare(f"{self.text} {about}")))

    @property
    def said(self) -> str:
        told = replies("remembered" if self.is_memory else "told")[0].format(quote=quoted(self.text))
        return f"{self.turned}." if self.turned else told

    @property
    def is_of_user(self) -> bool:
        if self.claim is not None:
            return self.claim.subject == USER
        return (self.turned or "").startswith("You") if self.is_memory else not _OWN.isdisjoint(self.bare.split())

    @property
    def identity(self) -> Slot | None:
        return self.claim.slot if self.claim is not None and self.claim.slot in _IDENTITY else None

    @property
    def holds(self) -> bool:
        return self.claim is None or (self.claim.polarity and self.claim.time is not Tense.PAST)


def user_names(user: Person | None) -> list[str]:
    """The names of the user, without placeholders."""
    name = user.name.strip() if user is not None else ""
    return [] if name.lower() in _NO_NAMES else list(dict.fromkeys([name, name.split()[0]]))


def known_in(scene: Scene) -> list[VoiceSource]:
    """Memories, and statements of the user, without those that speak of danger to somebody."""
    texts = [(place, each, plain(each.content)) for place, each in enumerate(scene.memories)]
    names = user_names(scene.user)
    remembered = [
        VoiceSource(text, said_of(each), -place, True, to_second_person(text, names), claim_in(each.extra))
        for place, each, text in texts
        if text and not is_danger(text)
    ]
    return [*remembered, *lines_in([*scene.earlier, *scene.history][-_MOST_MESSAGES:])]


def lines_in(messages: Sequence[Message]) -> list[VoiceSource]:
    """What the user stated in messages, in order, to be quoted."""
    return [
        VoiceSource(text, message.created_at, place)
        for place, message in enumerate(messages)
        if message.author is Author.USER and not is_danger(message.content)
        for text in map(_standing_alone, sentences(message.content))
        if is_statement(text)
    ]


def _standing_alone(sentence: str) -> str:
    """Turns "And I like tea." into "I like tea."."""
    return _JOINING.sub(lambda rest: rest[1].upper(), sentence)


def is_statement(sentence: str) -> bool:
    """Whether it can be quoted back: no question, no small talk, no insult, and more than a word."""
    said = bare(sentence).split()
    tells_more = len(said) > _MOST_SMALL_TALK or not _OWN.isdisjoint(said)
    kinds = ("insult", "forget", "request", "farewell", *(() if tells_more else ("greeting", "thanks")))
    return len(said) > 1 and not is_question(sentence) and not any(is_said(each, sentence) for each in kinds)


def answer_to(question: VoiceQuestion, known: Sequence[VoiceSource]) -> tuple[list[VoiceSource], bool]:
    """The best answer, and whether it is certain; or all equally good ones, if several may be true together. Messages
    are not used together with memories."""
    fits = [(well, each) for each in known if (well := fit(question, each))]
    ranked = sorted(fits, key=lambda each: _rank(question, *each), reverse=True)
    if not ranked:
        return [], False
    well, best = ranked[0]
    equal = _different([each for how, each in ranked if how == well and each.is_memory == best.is_memory])
    is_list = question.topic.is_many and not question.subjects if question.topic else well == SURE
    return equal[: _MOST_LISTED if is_list and not question.asks("whether") else 1], well >= LIKELY


def of_user(known: Sequence[VoiceSource]) -> list[VoiceSource]:
    """Valid memories about the user and theirs, starting with who they are."""
    mine = [each for each in known if each.is_of_user or (each.turned or "").startswith("Your ")]
    found = [each for each in mine if each.is_memory and each.holds]
    newest = sorted(found, key=lambda each: each.at, reverse=True)
    return _different(sorted(newest, key=lambda each: _IDENTITY.index(each.identity) if each.identity else 9))


def _different(known: Sequence[VoiceSource]) -> list[VoiceSource]:
    """Without duplicates, and with only one name, age, home or job."""
    found: dict[object, VoiceSource] = {}
    for each in known:
        found.setdefault((each.identity, each.claim.subject) if each.identity and each.claim else each.bare, each)
    return list(found.values())


def _rank(question: VoiceQuestion, well: int, each: VoiceSource) -> tuple[object, ...]:
    is_having = question.topic is None and each.claim is not None and each.claim.slot in _HAVING
    is_current = question.topic is None or each.holds
    return well, _named(question, each), is_having, is_current, each.at, each.is_memory, each.place


def _named(question: VoiceQuestion, each: VoiceSource) -> int:
    """How many of the things in the question a statement names."""
    return sum(1 for subject in question.subjects if not each.stems.isdisjoint(synonyms().get(subject, {subject})))


def fit(question: VoiceQuestion, each: VoiceSource) -> int:
    """0: does not answer; up to `SURE`."""
    topic, wanted, named = question.topic, len(question.subjects), _named(question, each)
    if topic is None:
        return SURE if wanted and named == wanted else DOUBTFUL if named and 2 * named >= wanted else 0
    is_answer = _says(topic, each, is_own=not wanted)
    if not wanted:
        return (SURE if each.holds else DOUBTFUL) if is_answer and each.is_of_user else 0
    if named == wanted:
        has_name = each.claim is not None and each.claim.slot in _HAVING and each.claim.value[:1].isupper()
        is_name = Slot.NAME in topic.slots and has_name
        if is_answer or is_name:
            return SURE
        holds_no_name = Slot.NAME in topic.slots and _NAME.search(each.text) is None
        return 0 if holds_no_name else LIKELY if question.is_of_user else DOUBTFUL
    # "Do I live in Oslo?", "What food do I hate?"
    is_meant = question.asks("whether") if not topic.is_many else question.subjects <= stems("wide")
    return LIKELY if is_answer and is_meant and each.is_of_user and question.is_of_user else 0


def _says(topic: Topic, each: VoiceSource, *, is_own: bool) -> bool:
    """By its claim, else by its words about the speaker. A dislike is a negated like."""
    claim = each.claim
    if claim is not None and claim.slot is not None:
        if claim.slot is Slot.LIKE and not claim.polarity:
            return Slot.DISLIKE in topic.slots
        if claim.slot in topic.slots or is_own:
            return claim.slot in topic.slots and (claim.polarity or not topic.is_many or not is_own)
    return (topic.says_of_self if is_own else topic.says).search(each.bare) is not None
