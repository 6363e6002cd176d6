"""Whom a question is about (R2, R4), which decides how clearly a passage must match it. English only; pure.

Start at `about`.
"""

import re
from collections.abc import Collection, Iterable

from everlore.domain.words import is_common, words_of
from everlore.recall.noise import About
from everlore.store.answers import Parts

_SELF = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|i['’]m|i['’]ve|i['’]d|im|ive)\b", re.IGNORECASE)
# "How do I …" and "give me …" ask for help, not for a memory.
_HELP = re.compile(
    r"\bhow (?:do|can|could|should|would|might|to) (?:i|we)\b"
    r"|\bhow (?:much|many|long|often|far|soon) (?:should|can|must|do) (?:i|we)\b"
    r"|\b(?:can|could|should|may|must|shall) (?:i|we)\b|\bdo (?:i|we) (?:need|have to)\b"
    r"|\b(?:give|tell|show|write|sing|make|read|explain|help|let|teach|find|buy|get) (?:to )?(?:me|us)\b"
    r"|\bfor (?:me|us)\b|\blet['’]s\b",
    re.IGNORECASE,
)
_RECOLLECT = re.compile(
    r"\b(?:remember|recall|remind me|told you|tell you|last time|we (?:talked|spoke|discussed)|"
    r"you (?:said|told|mentioned|promised))\b",
    re.IGNORECASE,
)
# Common words of related languages that English does not have.
_ELSEWHERE = frozenset(
    "der das und nicht mein meine wie wer wohnt el los las que donde como mi soy les est qui mon ma mes je che mio mia "
    "dove sono meu minha onde het een mijn waar jest gdzie moja minun min mitt hvor".split()
)
# How people refer to the owner of these memories without a name.
_SOMEBODY = re.compile(r"\b(?:user(?:['’]s)?|he|him|his|she|hers?|they|them|theirs?)\b", re.IGNORECASE)
_OF_KNOWING = frozenset(
    "know remember recall learn learned learnt tell told list summarize summarise please anything everything all facts "
    "far now myself".split()
)
# Share of the question's words; a long passage may lack a few.
_NEARLY_ALL = 0.7
_MOST_KEYWORDS = 3
_SEVERAL = 3
# An abbreviation ("a REST API") is not a name.
_NAME_INSIDE = re.compile(r"(?<=[a-z,;'’] )[A-Z](?=\w*[a-z])[\w’']+")
# Weekdays and months, which are capitalised but not names.
_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|"
    r"november|december",
    re.IGNORECASE,
)
_WHO_IS = re.compile(r"\b[Ww]ho(?: is| was|['’]s) ([A-Z]\w+)")


def about(question: str, names: Collection[str], heard: str) -> About:
    """`names`: the known names; `heard`: the words of what was found."""
    if any(_is_spoken_of(question, name) for name in names) or _is_asked_after(question, heard):
        return About.KNOWN
    if _SELF.search(_HELP.sub(" ", question)) or _RECOLLECT.search(question) or _is_foreign(question):
        return About.SELF
    inside = [name.rstrip("'’s") for name in _NAME_INSIDE.findall(question) if not _DAY.fullmatch(name)]
    if inside and all(name not in heard for name in inside):
        return About.STRANGER
    return About.SELF if _SOMEBODY.search(question) else About.NOBODY


def _is_asked_after(question: str, heard: str) -> bool:
    """As in "Who is Anthony?", where a found passage mentions Anthony."""
    asked = _WHO_IS.search(question)
    return asked is not None and re.search(rf"\b{re.escape(asked.group(1))}\b", heard) is not None


def _is_foreign(question: str) -> bool:
    """Whether it is probably not English: a question in another language must not be refused for that."""
    words = words_of(question)
    plain = question.replace("’", "'").replace("…", "...")
    # A name with an accent does not make a question foreign.
    is_english = 2 * sum(map(is_common, words)) >= len(words) > 0
    return not (plain.isascii() or is_english) or not _ELSEWHERE.isdisjoint(words)


def _is_spoken_of(question: str, name: str) -> bool:
    """Being addressed ("Emma, what …", "hey Emma!", "…, Emma?") says nothing about the topic."""
    if name.casefold() not in question.casefold():
        return False
    bare = re.escape(name)
    address = rf"(?:^|\b(?:hey|hi|hello|dear|ok|okay|oh|so|well|and|but|yes|no|please|thanks)\s+){bare}\s*[,!:]"
    rest = re.sub(rf"{address}|,\s*{bare}\s*[?.!]*$", ",", question, flags=re.IGNORECASE)
    return re.search(rf"\b{bare}\b", rest, re.IGNORECASE) is not None


def has_all(found: Iterable[Parts], question: str) -> bool:
    """Whether a passage has every significant word of the question: then it is relevant in any case. A sentence must
    have several such words; for a query of keywords only, one is enough."""
    is_sentence = len(question.split()) > _MOST_KEYWORDS or question.rstrip().endswith(("?", ".", "!"))
    if telling(question) < (_SEVERAL if is_sentence else 1):
        return False
    return any((parts.text or 0.0) >= _NEARLY_ALL for parts in found)


def names_told(texts: Iterable[str]) -> frozenset[str]:
    """People and things that memories call by name, whether or not a person was made for them."""
    named = (name for text in texts for name in _NAME_INSIDE.findall(text))
    found = frozenset(name.removesuffix("'s").removesuffix("’s") for name in named)
    return frozenset(name for name in found if not (is_common(name.casefold()) or _DAY.fullmatch(name)))


def telling(question: str) -> int:
    """How many words of a question are significant."""
    return len(_significant(question))


def asks_for_all(question: str) -> bool:
    """Whether it asks what is known about the user, and names nothing in particular: "What do you know about me?"."""
    significant = _significant(question)
    words = words_of(question.lower())
    is_asked = "you" in words and ("?" in question or "me" in words or "myself" in words)
    is_general = bool(significant) and _OF_KNOWING.issuperset(significant)
    return is_asked and is_general and about(question, (), "") is About.SELF


def _significant(question: str) -> frozenset[str]:
    return frozenset(word for word in words_of(question) if not is_common(word))
