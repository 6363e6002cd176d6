"""What a message in another language states of the user, as claims and in English, with what was said (O1).

In: a message. Out: candidates that quote the words they rest on. What is understood of a language lies in its file
(`de.toml`), what is said of it in `slots.toml`. Start at `facts_told`.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from everlore.domain.claim import USER, Claim, Slot
from everlore.language.tense import Tense
from everlore.learning.candidate import Candidate
from everlore.learning.clauses.plain import SpeakerVoice
from everlore.learning.phrasebooks.statements import category_of, ended_claim, kin_claim, subject_named
from everlore.learning.phrasebooks.telling import PhraseMatch, told_in
from everlore.learning.phrasebooks.wording import with_article
from everlore.learning.typed import pieces_of

_STATED = 0.9
# Whose words they are cannot be told in a language of which only phrases are known.
_QUOTED = re.compile(r"""["“”„«‹][^"“”„«»‹›\n]{1,600}["“”»›]|(?<!\w)['‘][^'’\n]{3,300}['’](?!\w)""")


def facts_told(message: str) -> list[Candidate]:
    """Deterministic; never raises. The same fact is given once."""
    own = "\n".join(each.text for each in pieces_of(_QUOTED.sub(" … ", message)) if each.voice is SpeakerVoice.OWN)
    return list({each.content: each for each in map(_candidate, told_in(own))}.values())


@cache
def _slots() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((files(__package__) / "slots.toml").read_text(encoding="utf-8"))


def _candidate(told: PhraseMatch) -> Candidate:
    who = f"User's {told.of} {told.name}".strip() if told.of else "User"
    if told.what == "called":
        claim = kin_claim(told.of, told.name, told.quote)
        said = f"User has {with_article(told.of)} named {told.name}"
    else:
        given, parts, since = _slots()[told.what], _parts(told), _since(told)
        form = given["long"] if since and "long" in given else given["say"]
        said = f"{who} {form.format(**parts)}{since if 'long' in given else ''}".replace(" 's ", "'s ")
        claim = _claim(told, given, parts)
    return Candidate(
        content=said,
        category=category_of(claim),
        confidence=_STATED,
        reasoning="Says so.",
        quote=told.quote,
        rule=f"phrasebook.{told.what}",
        claim=claim,
    )


def _claim(told: PhraseMatch, given: Mapping[str, Any], parts: Mapping[str, str]) -> Claim:
    if told.what == "died" and told.of and (ended := ended_claim(told.of, told.name, quote=told.quote)) is not None:
        return ended
    return Claim(
        subject=subject_named(told.of, told.name) if told.of else USER,
        slot=Slot(given["slot"]) if "slot" in given else None,
        topic=given.get("topic", "").format(**parts),
        value=given["value"].format(**parts).strip(),
        polarity=not given.get("denied", False),
        time=Tense(given.get("time", "now")),
        is_change=given.get("change", False),
        quote=told.quote,
    )


def _parts(told: PhraseMatch) -> dict[str, str]:
    values = told.values
    month, partner = values.get("month", ""), values.get("whom") or values.get("name", "")
    names = values.get("names", "")
    return {
        **values,
        "a_job": _work(values.get("job", ""), values.get("of", "")),
        "a_work": _work(values.get("work", ""), values.get("of", "")),
        "at": f" at {values['at']}" if "at" in values else "",
        "where": values.get("at", ""),
        "on": f" on {month} {values['day']}" if "day" in values else month and f" in {month}",
        "in": f" in {values['place']}" if "place" in values else "",
        "to": partner and f" to {partner}",
        "partner": partner,
        "with": f" with their {values['beside']}" if "beside" in values else "",
        "when": f" {values['when']}" if "when" in values else "",
        "month": month and f" in {month}",
        "names": names and f" named {names}",
        "bare_names": names,
        "things": values.get("things") or values.get("thing", ""),
        "date": f"{month} {values.get('day', '')}",
    }


def _work(noun: str, of: str) -> str:
    """What they are in their own words stands behind ours, where it is more than one word: "teacher (de maths)"."""
    named = f"{noun} ({of.strip()})" if of else noun
    return named if not noun or noun == "retired" else with_article(named)


def _since(told: PhraseMatch) -> str:
    if "year" in told.values:
        return f" since {told.values['year']}"
    return f" for {told.values['number']} {told.values['unit']}" if "unit" in told.values else ""
