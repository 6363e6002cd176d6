"""Rephrases a statement about the user to address them: "User lives in Porto" becomes "You live in Porto".

Only statements that are safe to rephrase are; for any other the result is None.
"""

import re
from collections.abc import Collection, Iterator

from everlore.models.voice.phrases import table, words
from everlore.models.voice.text import without_end

# Placeholders for the user while a statement is rephrased: no statement contains these characters.
_YOU, _YOUR = "\x01", "\x02"
_TOKEN = re.compile(r"[\x01\x02]|\w+(?:['’]\w+)*|[^\w\x01\x02]")
_LINKS = frozenset({"and", "but", ","})
_THEIRS = {"their": "your", "themselves": "yourself", "themself": "yourself"}
_ES = ("ches", "shes", "sses", "xes", "zzes", "oes")


def to_second_person(statement: str, names: Collection[str] = ()) -> str | None:
    """None if the statement is not about the user. `names` are further names of the user; they are replaced only as the
    subject: in "User's name is Anna" the name is the information."""
    subjects = "|".join(["[Tt]he user", "[Uu]ser", *(re.escape(name) for name in sorted(names, key=len, reverse=True))])
    # Lower case only after "the": "user interfaces" does not mean the user.
    called = re.compile(rf"(?:\A(?:{subjects})|\bthe user|\bUser)(?P<own>['’]s?)?(?!\w)")
    marked = called.sub(lambda found: _YOUR if found["own"] else _YOU, statement)
    if marked == statement:
        return None
    turned = without_end("".join(_turned(_TOKEN.findall(marked))))
    return turned[0].upper() + turned[1:] if marked[0] in _YOU + _YOUR else turned


def _turned(tokens: list[str]) -> Iterator[str]:
    """Adapts verbs and possessives with the same subject, up to the next clause."""
    is_subject, needs_verb, before = tokens[0] == _YOU, False, ""
    for token in tokens:
        word = token.lower().replace("’", "'")
        is_between = not word.strip() or word in words("adverbs") or (word.endswith("ly") and len(word) > 4)
        is_subject = is_subject and word not in words("others")
        if token in (_YOU, _YOUR):
            yield "you" if token == _YOU else "your"
            needs_verb = token == _YOU
        elif needs_verb and not is_between:
            yield _for_you(word) if is_subject or _is_verb(word) else token
            needs_verb = False
        elif is_subject and before in _LINKS and _is_verb(word):
            yield _for_you(word)
        else:
            yield _THEIRS.get(word, token) if is_subject else token
        before = before if is_between else word


def _is_verb(word: str) -> bool:
    return word in words("verbs") or word in table("irregular")


def _for_you(word: str) -> str:
    if word in table("irregular") or not word.endswith("s") or word.endswith("ss"):
        return table("irregular").get(word, word)
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(_ES) else word[:-1]
