"""Puts what a model wrote into the form in which facts are kept: one sentence that begins with "User". Pure.

Nothing is added that was not there: "The user loves jazz.", "They love jazz" and "User stated that they love jazz"
all become "User loves jazz". What is not about the user in any of these ways stays as it is, and is refused later.

Start at `tidied`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from everlore.language.lists import listed
from everlore.reflect.answers import line_in
from everlore.reflect.candidate import Candidate

MOST_CHARS = 300
_MOST_REASON = 500

_AROUND = " \t\"'“”‘’«»`*_#-–—•·;,"
# Not behind an initial; nor, below, behind a short form: "St. Petersburg", "Dr. Who", "J. R. Tolkien".
_SENTENCE_END = re.compile(r"(?<![A-Z])[.!?]+\s+(?=[A-Z\"“])")
_SHORT_FORMS = tuple(listed("typing.short_forms"))
# Said at the end of a line in a chat, and no part of what it says.
_TAG = re.compile(
    r"[ ,](?:rn|lol|lmao|haha|hehe|tbh|ngl|btw|atm|imo|fr|tho|xd|:\)|:d|;\)|:\(|❤️|😂|😅|😊)$", re.IGNORECASE
)
_USER = re.compile(
    r"^(?:the |this |our )?[\[{<(]{0,2}(?:user|human|speaker)[\]}>)]{0,2}(?P<own>(?:['’]s)?)(?:\s*:)?(?=\s)",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"^(?P<name>[A-Z][\w-]{1,40}), the user['’]s (?P<kin>[\w -]{1,40}), (?P<rest>\S.*)$")
# A time or a place; no clause of its own.
_FRONTED = re.compile(
    r"^(?P<front>(?:In|On|At|Since|During|Outside|Every|Each|Last|Next|After|Before|As|Until|For) [^,.]{1,60}?),? "
    r"the user(?P<own>(?:['’]s)?) (?P<rest>\S.*)$"
)
_THEY = re.compile(r"^they(?P<short>['’](?:re|ve|ll|d))?\s+(?P<rest>\S.*)$", re.IGNORECASE)
_THEIR = re.compile(r"^their\s+", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"^User (?=(?:(?:full|first|last) )?(?:name|nickname|age|birthday|job|gender) (?:is|was) )")
_REPORTED = re.compile(
    r"^User (?:has |had |just |also |explicitly |clearly |directly ){0,2}"
    r"(?:stated|states|said|says|mentioned|mentions|shared|shares|noted|notes|revealed|reveals|explained|explains|"
    r"indicated|indicates|reported|reports|disclosed|discloses|confirmed|confirms|claims|claimed|expressed) (?:that )?"
    r"(?P<who>they|he|she|their|his|her|user)(?P<rest>(?:['’](?:re|ve|ll|d|s))?\s.*)$",
    re.IGNORECASE,
)
_SHORT = {"re": "is", "s": "is", "ve": "has", "ll": "will", "d": "would"}
_THIRD = {
    "are": "is", "have": "has", "were": "was", "do": "does", "go": "goes", "don't": "doesn't", "aren't": "isn't",
    "haven't": "hasn't", "weren't": "wasn't",
}  # fmt: skip
_UNBENT = listed("verbs.unbent")
_ADVERBS = listed("grammar.before_a_told_verb")


def tidied(candidate: Candidate, user_name: str = "", theirs: Mapping[str, str] = MappingProxyType({})) -> Candidate:
    """The same statement in our form; `user_name` is how a model may call the user instead, `theirs` who somebody with
    a name is to the user: "Bram is a butcher" is said of their brother Bram."""
    line = (line_in(candidate.content, 4 * MOST_CHARS) or "").strip(_AROUND)
    line = _of_theirs(_about_user(_first_sentence(line), user_name), theirs)
    return replace(candidate, content=_cut(line), reasoning=line_in(candidate.reasoning, _MOST_REASON) or "")


def _first_sentence(line: str) -> str:
    ends = (match.start() for match in _SENTENCE_END.finditer(line))
    end = next((at for at in ends if not line[:at].endswith(_SHORT_FORMS)), len(line))
    kept = line[:end].rstrip(" .!…")
    while found := _TAG.search(kept):
        kept = kept[: found.start()].rstrip(" .!…,")
    return kept.strip()


def _cut(line: str) -> str:
    if len(line) <= MOST_CHARS:
        return line
    return line[: MOST_CHARS + 1].rpartition(" ")[0][:MOST_CHARS] or line[:MOST_CHARS]


def _of_theirs(line: str, theirs: Mapping[str, str]) -> str:
    name = next((each for each in theirs if re.match(rf"{re.escape(each)}(?:['’]s)? (?!and\b)", line)), "")
    return f"User's {theirs[name]} {line}" if name else line


def _about_user(line: str, user_name: str) -> str:
    line = _turned(_named(line, user_name))
    line = _USER.sub(lambda found: "User's" if found.group("own") else "User", line, count=1)
    line = _ATTRIBUTE.sub("User's ", _THEIR.sub("User's ", _they(line)))
    reported = _REPORTED.match(line)
    return line if reported is None else _reported(reported)


def _turned(line: str) -> str:
    """ "Ada, the user's niece, sings", "In summer the user sails": the user first."""
    if beside := _BESIDE.match(line):
        return f"User's {beside['kin']} {beside['name']} {beside['rest']}"
    fronted = _FRONTED.match(line)
    if fronted is None:
        return line
    return f"User{fronted['own']} {fronted['rest']} {fronted['front'][:1].lower()}{fronted['front'][1:]}"


def _named(line: str, user_name: str) -> str:
    name = " ".join(user_name.split())
    if not name or not line.lower().startswith(name.lower()) or line[len(name) : len(name) + 1].isalnum():
        return line
    return f"User{line[len(name) :]}"


def _reported(found: re.Match[str]) -> str:
    who, rest = found.group("who").lower(), found.group("rest")
    if who in {"their", "his", "her"}:
        return f"User's {rest.strip()}"
    if who == "they":
        return _they(f"they{rest}")
    mark, _, after = rest.partition(" ")
    return f"User {_SHORT[mark[1:].lower()]} {after}" if mark else f"User {rest.strip()}"


def _they(line: str) -> str:
    found = _THEY.match(line)
    if found is None:
        return line
    rest = found.group("rest")
    if short := found.group("short"):
        return f"User {_SHORT[short[1:].lower()]} {rest}"
    words = rest.split(" ")
    at = next((place for place, word in enumerate(words) if not _is_adverb(word)), 0)
    return " ".join(["User", *words[:at], _third_person(words[at]), *words[at + 1 :]])


def _is_adverb(word: str) -> bool:
    return word.lower() in _ADVERBS or (word.endswith("ly") and word not in {"fly", "rely", "apply", "reply", "supply"})


def _third_person(verb: str) -> str:
    low = verb.lower().replace("’", "'")
    if low in _THIRD:
        return _THIRD[low]
    if low in _UNBENT or low.endswith("ed") or not low.isalpha():
        return verb
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if low.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"
