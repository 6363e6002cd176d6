"""What a statement must have behind it, whoever makes it and in whatever language (F4, F5). Pure.

In: a candidate, the message it is said to come from, and the words of it that it rests on. Out: why it falls, or None.

Start at `unsupported`; `unsaid` asks only what can be seen without those words.
"""

import re

from everlore.domain.reading import Filter, Refusal
from everlore.language.foreign import ENGLISH, is_foreign
from everlore.reflect.candidate import Candidate, Source
from everlore.reflect.facts.filters import refusal_of
from everlore.reflect.facts.meant import unmeant
from everlore.reflect.facts.quoting import Rest, is_no_statement
from everlore.reflect.facts.secret import holds_secret
from everlore.reflect.facts.spoken import unspoken, words_of
from everlore.reflect.saving.framing.vocabulary import KIN, PARTNERS, PETS

_CALLED = re.compile(r"User(?:['’]s (?:first |full )?name is| is (?:named|called)| goes by) (?P<name>[^\W\d_]{2,40})")
_NAMED = r"(?:['’]s)?(?: name)?(?: is| was|['’]s)?(?: named| called)?"


def unsupported(candidate: Candidate, source: Source, rest: Rest) -> Refusal | None:
    refusal = unsaid(candidate, source)
    if refusal is not None:
        return refusal
    if is_no_statement(rest, source):
        return Refusal(candidate.content, Filter.NOT_STATED, f"“{rest.words}” is no statement of the user’s")
    if is_anothers_name(candidate.content, source.content):
        return Refusal(candidate.content, Filter.WRONG_PERSON, "it is the name of somebody else")
    if unmeant(rest.words, source) is Filter.QUOTED_BACK:
        return Refusal(candidate.content, Filter.QUOTED_BACK, f"“{rest.words}” was said before the user said it")
    return None


def is_anothers_name(content: str, message: str) -> bool:
    """Whether it calls the user by a name that the message gives to one of theirs: "my wife's name is Priya"."""
    called = _CALLED.match(content)
    if called is None:
        return False
    name = re.escape(called["name"])
    whose = rf"\b(?:my|our)(?: [\w-]{{1,30}}){{0,2}} (?:{KIN}|{PARTNERS}|{PETS})"
    return re.search(rf"{whose}{_NAMED},? {name}\b", message, re.IGNORECASE) is not None


def unsaid(candidate: Candidate, source: Source) -> Refusal | None:
    return _secret(candidate, source) or refusal_of(candidate, source) or _unspoken(candidate, source)


def _secret(candidate: Candidate, source: Source) -> Refusal | None:
    """Not even in what was refused: that is kept, too."""
    is_secret = holds_secret(candidate.content, source.content)
    return Refusal("(withheld)", Filter.SECRET, "it gives a password, a number or a key away") if is_secret else None


def _may_translate(message: str) -> bool:
    """Whether it is in another language, also in one of which we know no word: letters that English has not, and no
    small word of English."""
    if is_foreign(message):
        return True
    has_other_letters = any(sign.isalpha() and not sign.isascii() for sign in message)
    return has_other_letters and ENGLISH.isdisjoint(words_of(message))


def _unspoken(candidate: Candidate, source: Source) -> Refusal | None:
    strange = unspoken(candidate.content, source)
    if not strange or (_may_translate(source.content) and not any(sign.isdecimal() for sign in strange)):
        # A name may be another one in another language: Köln is Cologne.
        return None
    return Refusal(candidate.content, Filter.UNGROUNDED, f"{strange!r} was not said")
