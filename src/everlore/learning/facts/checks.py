"""The checks that every statement must pass, from rules or a model, in any language (F4, F5, M16). Pure.

In: a candidate, its message, and the quoted words that support it. Out: a refusal, or None. Start at `unsupported`;
statements of the rules, which parsed the message themselves, only pass `unsaid`. Nothing that gives a secret away, or a
part of one, passes: a password, a card or account number, a key (S-2). Their names and formats are in `secrets.toml`.
"""

import re

from everlore.domain.claim import USER, Slot
from everlore.domain.display import display
from everlore.domain.reading import Filter, Refusal
from everlore.language.lists import pattern
from everlore.learning.candidate import Candidate, Source
from everlore.learning.clauses.moods import is_jest
from everlore.learning.facts.filters import refusal_of
from everlore.learning.facts.names import find_unsaid
from everlore.learning.facts.quotes import Evidence, is_no_statement
from everlore.learning.facts.words import words_of
from everlore.learning.phrasebooks.phrases import KIN, PARTNERS, PETS
from everlore.learning.phrasebooks.statements import parsed

_THEIRS = rf"\b(?:my|our)(?: [\w-]{{1,30}}){{0,2}} (?:{KIN}|{PARTNERS}|{PETS})"
_MOST_TURNS = 12
_MOST_CHARS = 4_000
_SENTENCE = re.compile(r"[^.!?\n\"“”]{1,600}")
# A shorter sentence may be repeated by chance: "I know", "Me too".
_LEAST_REPEATED = 4


def unsupported(candidate: Candidate, source: Source, evidence: Evidence) -> Refusal | None:
    content = candidate.content
    quote = evidence.words if evidence.is_verbatim else ""
    if refusal := _secret(content, source) or refusal_of(candidate, source) or _ungrounded(content, source, quote):
        return refusal
    if is_no_statement(evidence, source):
        return Refusal(content, Filter.NOT_STATED, f"“{evidence.words}” is no statement of the user’s")
    if is_anothers_name(candidate, source.content):
        return Refusal(content, Filter.WRONG_PERSON, "it is the name of somebody else")
    return _unmeant(content, evidence.words, source)


def is_anothers_name(candidate: Candidate, message: str) -> bool:
    """Whether it gives the user a name that the message gives to someone else: "my wife's name is Priya"."""
    claim = candidate.claim or parsed(candidate.content)
    if claim is None or claim.slot not in (Slot.NAME, Slot.NICKNAME) or claim.subject != USER:
        return False
    named = rf"(?:['’]s)?(?: name)?(?: is| was|['’]s)?(?: named| called)?,? {re.escape(claim.value)}\b"
    return re.search(rf"{_THEIRS}{named}", message, re.IGNORECASE) is not None


def unsaid(content: str, source: Source, words: str) -> Refusal | None:
    return _secret(content, source) or _ungrounded(content, source) or _unmeant(content, words, source)


def _secret(content: str, source: Source) -> Refusal | None:
    """A refusal that withholds the text, because refusals are stored too."""
    is_secret = holds_secret(content, source.content)
    return Refusal("(withheld)", Filter.SECRET, "it gives a password, a number or a key away") if is_secret else None


def _ungrounded(content: str, source: Source, quote: str = "") -> Refusal | None:
    word = find_unsaid(content, source, quote)
    is_certain = word is not None and word.is_certain
    return Refusal(content, Filter.UNGROUNDED, f"{word.text!r} was not said") if word and is_certain else None


def _unmeant(content: str, words: str, source: Source) -> Refusal | None:
    """A joke, or a sentence that an assistant said before in the same words (M16)."""
    if is_jest(words):
        return Refusal(content, Filter.NOT_STATED, f"“{words}” is said in jest")
    turns = [turn.content for turn in source.before[-_MOST_TURNS:] if not turn.is_user]
    theirs = {sentence for turn in turns for sentence in _sentences(turn)}
    repeated = theirs.intersection(_sentences(source.content)) if theirs else set()
    if any(f" {' '.join(words_of(words))} " in each for each in repeated):
        return Refusal(content, Filter.QUOTED_BACK, f"“{words}” was said before the user said it")
    return None


def _sentences(text: str) -> list[str]:
    """With a space around each word: " i love hiking "."""
    said = [words_of(match.group()) for match in _SENTENCE.finditer(display(text[:_MOST_CHARS]).text)]
    return [f" {' '.join(words)} " for words in said if len(words) >= _LEAST_REPEATED]


_LEAST_CHARS = 4
_NEAR = 60


def holds_secret(statement: str, message: str = "") -> bool:
    if _look("number").search(statement) or _look("key").search(statement):
        return True
    is_named = _look("name").search(statement) and _look("value").search(statement)
    is_given = _look("given").search(statement) and not _look("not_given").search(statement)
    return bool(is_named or is_given) or any(value in statement for value in _values_in(message))


def _values_in(message: str) -> set[str]:
    """The secrets in a message, and the last digits of long numbers."""
    values = {found.group() for found in _look("key").finditer(message)}
    for named in _look("name").finditer(message):
        # The value is in the same sentence as the name, and near it.
        end = _look("sentence_end").search(message, named.end())
        last = min(named.end() + _NEAR, end.start() if end else len(message))
        near = [*_look("value").finditer(message, named.end(), last)][:2]
        values |= {found.group().strip(".!?'\"") for found in near}
    for number in _look("number").finditer(message):
        values |= {number.group(), re.sub(r"\D", "", number.group())[-4:]}
    return {value for value in values if len(value) >= _LEAST_CHARS}


def _look(name: str) -> re.Pattern[str]:
    return pattern(__package__, f"secrets.{name}")
