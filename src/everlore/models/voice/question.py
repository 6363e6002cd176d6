"""Finds the question in a message: its topic and the person it is about. By the patterns of `phrases.toml`.

In: a message. Out: its last `VoiceQuestion`, or None. Start at `question_in`.
"""

import re
from dataclasses import dataclass, replace

from everlore.domain.words import stems_of
from everlore.models.voice.phrases import Topic, pattern, stems, topics
from everlore.models.voice.text import bare, ends_as_question, sentences

_CLAUSE = re.compile(r"[,;:–—]\s+|\s+(?:and|but)\s+")
_MOST_CLAUSES = 12
_OF_ME = frozenset({"i", "me", "my", "mine", "myself"})
_OF_YOU = frozenset({"you", "your", "yours", "yourself"})
_TO_YOU = re.compile(r"(?:are|were|do|can|have|(?:what|how) do) you\b")
_THING = re.compile(r"\bmy ((?:(?:favou?rite|best|own|old|new|big|little|older|younger) )*\w+)")
_ABOUT = re.compile(r".*\babout ")


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceQuestion:
    """`text` is normalized, without introductory words. `subjects`: the stems of the other things it names. `thing`:
    what it calls "my". `is_of_user`: about the user themselves."""

    text: str
    topic: Topic | None
    subjects: frozenset[str]
    thing: str
    is_of_user: bool
    is_of_character: bool

    def asks(self, name: str) -> bool:
        return pattern(name).search(self.text) is not None


def question_in(message: str, character: str) -> VoiceQuestion | None:
    """The last question of a message to this character."""
    asked = [clause for sentence in sentences(message) if (clause := asking_clause(sentence, character))]
    return _understood(asked[-1], character) if asked else None


def whole_question(message: str, character: str) -> VoiceQuestion:
    """The last sentence that asks, with all of its clauses: what it names, whatever is asked about it."""
    asking = [sentence for sentence in sentences(message) if is_question(sentence, character)]
    question = _understood(asking[-1], character)
    named = question.text
    for topic in topics():
        named = topic.asks.sub(" ", named)
    return replace(question, topic=None, subjects=question.subjects & frozenset(stems_of(named)))


def is_question(sentence: str, name: str = "") -> bool:
    """Also without a question mark: "what is my name", "tell me where I live"."""
    text = bare(sentence)
    asks = ends_as_question(sentence) or pattern("question").search(_without_address(text, name))
    return bool(text and asks)


def asking_clause(sentence: str, name: str) -> str:
    """Extracts "what's your name?" from "I'm Anna, what's your name?"; empty if there is no question."""
    if not is_question(sentence, name):
        return ""
    starts = [0, *(end.end() for end in _CLAUSE.finditer(sentence))][:_MOST_CLAUSES]
    clauses = [sentence[start:] for start in starts] if ends_as_question(sentence) else []
    asking = [each for each in clauses if pattern("question").search(_without_address(bare(each), name))]
    return asking[-1] if asking else sentence


def _without_address(text: str, name: str) -> str:
    """Removes "Hey Nova" and "well" at the beginning."""
    called = "|".join(re.escape(bare(each)) for each in (name, name.partition(" ")[0]) if bare(each))
    text = re.sub(rf"^(?:(?:hey|hi|hello|so|well|ok|and) )*(?:{called})\b ?", "", text) if called else text
    return _without("filler_lead", text)


def _without(lead: str, text: str) -> str:
    while found := pattern(lead).match(text):
        text = text[found.end() :].lstrip()
    return text


def _understood(clause: str, name: str) -> VoiceQuestion:
    text = _without("lead", _without_address(bare(clause), name))
    # "What did I tell you about my sister's job?" asks about the job.
    about = _ABOUT.sub("", text)
    is_somebody = about.startswith("who ") and _OF_ME.isdisjoint(about.split())
    topic = None if is_somebody else next((each for each in topics() if each.asks.search(about)), None)
    rest = topic.asks.sub(" ", about) if topic else about
    subjects = frozenset(stems_of(rest)) - stems("fillers") - frozenset(stems_of(bare(name)))
    thing, words, of = _THING.search(about), set(text.split()), set(about.split())
    return VoiceQuestion(
        text=text,
        topic=topic,
        subjects=subjects,
        thing=thing[1] if thing and subjects else "",
        is_of_user="i" in of or (bool(_OF_ME & of) and not subjects),
        is_of_character=bool(_OF_YOU & words) and (not _OF_ME & words or _TO_YOU.match(text) is not None),
    )
