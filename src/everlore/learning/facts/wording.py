"""Normalizes a model's statement: one sentence that begins with "User". Pure.

Adds nothing: "The user loves jazz." becomes "User loves jazz". Statements that are not about the user stay unchanged,
and are refused later. Start at `tidied`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from everlore.language.lists import listed
from everlore.learning.answers import line_in
from everlore.learning.candidate import Candidate

MOST_CHARS = 300
_MOST_REASON = 500

_AROUND = " \t\"'“”‘’«»`*_#-–—•·;,"
# No sentence end after an initial or an abbreviation: "J. R. Tolkien", "St. Petersburg", "Dr. Who".
_SENTENCE_END = re.compile(r"(?<![A-Z])[.!?]+\s+(?=[A-Z\"“])")
_SHORT_FORMS = tuple(listed("typing.short_forms"))
_USER = re.compile(
    r"^(?:the |this |our )?[\[{<(]{0,2}(?:user|human|speaker)[\]}>)]{0,2}(?P<own>(?:['’]s)?)(?:\s*:)?(?=\s)",
    re.IGNORECASE,
)

_ATTRIBUTE = re.compile(r"^User (?=(?:(?:full|first|last) )?(?:name|nickname|age|birthday|job|gender) (?:is|was) )")


def tidied(candidate: Candidate, user_name: str = "", theirs: Mapping[str, str] = MappingProxyType({})) -> Candidate:
    """The statement in our form. `user_name`: a name that a model may use for the user; `theirs`: relations of named
    people, so that "Bram is a butcher" becomes a statement about their brother Bram."""
    line = (line_in(candidate.content, 4 * MOST_CHARS) or "").strip(_AROUND)
    line = _named(_first_sentence(line), user_name)
    line = _USER.sub(lambda found: "User's" if found.group("own") else "User", line, count=1)
    content = _cut(_of_theirs(_ATTRIBUTE.sub("User's ", line), theirs))
    return replace(candidate, content=content, reasoning=line_in(candidate.reasoning, _MOST_REASON) or "")


def _first_sentence(line: str) -> str:
    ends = (match.start() for match in _SENTENCE_END.finditer(line))
    end = next((at for at in ends if not line[:at].endswith(_SHORT_FORMS)), len(line))
    return line[:end].rstrip(" .!…")


def _cut(line: str) -> str:
    if len(line) <= MOST_CHARS:
        return line
    return line[: MOST_CHARS + 1].rpartition(" ")[0][:MOST_CHARS] or line[:MOST_CHARS]


def _named(line: str, user_name: str) -> str:
    name = " ".join(user_name.split())
    if not name or not line.lower().startswith(name.lower()) or line[len(name) : len(name) + 1].isalnum():
        return line
    return f"User{line[len(name) :]}"


def _of_theirs(line: str, theirs: Mapping[str, str]) -> str:
    name = next((each for each in theirs if re.match(rf"{re.escape(each)}(?:['’]s)? (?!and\b)", line)), "")
    return f"User's {theirs[name]} {line}" if name else line
