"""What a message in another language tells of the user, as the rules tell it: in English, with what was said (O1).

In: a message. Out: candidates that quote the words they rest on. What is understood of a language lies in
`language/tongues`; here is only what is said of it. Start at `facts_told`.
"""

import re
from collections.abc import Iterator

from everlore.domain.memory import Category
from everlore.language.clauses.plain import Voice
from everlore.language.tongues import Told, told_in
from everlore.reflect.candidate import Candidate
from everlore.reflect.typed import pieces_of

_STATED = 0.9
# Whose words they are cannot be told in a language of which only phrases are known.
_QUOTED = re.compile(r"""["“”„«‹][^"“”„«»‹›\n]{1,600}["“”»›]|(?<!\w)['‘][^'’\n]{3,300}['’](?!\w)""")
_INFO, _BOND = Category.PERSONAL_INFO, Category.RELATIONSHIP
_TASTE, _SKILL, _GOAL = Category.PREFERENCE, Category.SKILL, Category.GOAL

# What is told: how it is said, how where it has lasted for some time, and what kind of fact it is.
_SAID: dict[str, tuple[str, str, Category]] = {
    "name": ("name is {name}", "", _INFO),
    "age": ("is {number} years old", "", _INFO),
    "turns": ("turns {number}{on}", "", _INFO),
    "lives": ("lives in {place}{with}", "has lived in {place}{with}", _INFO),
    "lives_with": ("lives{with}", "has lived{with}", _INFO),
    "from": ("is from {place}", "", _INFO),
    "works_as": ("works{when} as {a_work}{at}{in}", "has worked{when} as {a_work}{at}{in}", _INFO),
    "works_at": ("works{when} at {where}{in}", "has worked{when} at {where}{in}", _INFO),
    "job": ("is {a_job}{at}{in}", "has been {a_job}{at}{in}", _INFO),
    "trait": ("is {trait}", "has been {trait}", _INFO),
    "married": ("is with {partner}", "has been with {partner}", _BOND),
    "allergic": ("is allergic to {things}", "", _INFO),
    "eats_no": ("does not eat {things}", "", _TASTE),
    "drinks_no": ("does not drink {things}", "", _TASTE),
    "bears_no": ("does not tolerate {things}", "", _INFO),
    "studies": ("studies {subject}{in}{when}", "has studied {subject}{in}{when}", _INFO),
    "studies_in": ("studies{in}{when}", "has studied{in}{when}", _INFO),
    "learns": ("is learning {subject}", "has been learning {subject}", _SKILL),
    "plays": ("plays {played}", "has played {played}", _SKILL),
    "has": ("has {number} {many}{names}", "", _BOND),
    "keeps": ("has a {pet}{names}", "", _BOND),
    "loves": ("loves {thing}", "", _TASTE),
    "hates": ("hates {thing}", "", _TASTE),
    "fears": ("is afraid of {thing}", "", _TASTE),
    "birthday": ("birthday is on {date}", "", _INFO),
    "born": ("was born in {place}", "", _INFO),
    "ill": ("has {illness}", "has had {illness}", _INFO),
    "speaks": ("speaks {subject}", "", _SKILL),
    "marries": ("is getting married{to}{on}", "", _GOAL),
    "wed": ("got married{to}", "", _BOND),
    "parted": ("split up with {name}", "", _BOND),
    "died": ("died", "", _BOND),
    "moving": ("is moving to {place}{month}", "", _GOAL),
    "going": ("is going to {place}{month}", "", _GOAL),
}
_OWNED = frozenset({"name", "birthday"})


def facts_told(message: str) -> list[Candidate]:
    """Deterministic; never raises. The same fact is given once."""
    own = "\n".join(each.text for each in pieces_of(_QUOTED.sub(" … ", message)) if each.voice is Voice.OWN)
    found = {each.content: each for told in told_in(own) for each in _candidates(told)}
    return list(found.values())


def _candidates(told: Told) -> Iterator[Candidate]:
    who = f"User's {told.of} {told.name}".strip() if told.of else "User"
    if told.what == "called":
        said, category = f"User has {_with_article(told.of)} named {told.name}", _BOND
    else:
        plain, lasting, category = _SAID[told.what]
        since = _since(told)
        form = lasting if since and lasting else plain
        said = f"{who}{_apostrophe(told, who)} {form.format(**_parts(told))}{since if lasting else ''}"
        category = _BOND if told.of else category
    yield Candidate(content=said, category=category, confidence=_STATED, quote=told.quote, rule=f"tongues.{told.what}")


def _apostrophe(told: Told, who: str) -> str:
    return "'s" if told.what in _OWNED and who else ""


def _parts(told: Told) -> dict[str, str]:
    values = told.values
    month, partner = values.get("month", ""), values.get("whom") or values.get("name", "")
    return {
        **values,
        "a_job": _with_article(values.get("job", ""), values.get("of", "")),
        "a_work": _with_article(values.get("work", ""), values.get("of", "")),
        "at": f" at {values['at']}" if "at" in values else "",
        "where": values.get("at", ""),
        "on": f" on {month} {values['day']}" if "day" in values else month and f" in {month}",
        "in": f" in {values['place']}" if "place" in values else "",
        "to": partner and f" to {partner}",
        "partner": partner,
        "with": f" with their {values['beside']}" if "beside" in values else "",
        "when": f" {values['when']}" if "when" in values else "",
        "month": month and f" in {month}",
        "names": f" named {values['names']}" if "names" in values else "",
        "things": values.get("things") or values.get("thing", ""),
        "date": f"{month} {values.get('day', '')}",
    }


def _with_article(noun: str, of: str = "") -> str:
    """What they are in their own words stands behind ours, where it is more than one word: "teacher (de maths)"."""
    named = f"{noun} ({of.strip()})" if of else noun
    if not noun or noun == "retired":
        return named
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {named}"


def _since(told: Told) -> str:
    if "year" in told.values:
        return f" since {told.values['year']}"
    if "unit" in told.values:
        return f" for {told.values['number']} {told.values['unit']}"
    return ""
