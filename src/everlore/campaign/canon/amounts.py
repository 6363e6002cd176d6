"""How many, how old, how long, and when: what a clause says in numbers. Pure. Start at `counted` and `dated`."""

import re
from collections.abc import Iterator
from dataclasses import replace

from everlore.campaign.canon.clauses import CanonClause
from everlore.campaign.canon.respects import RespectReading
from everlore.campaign.canon.things import thing_of
from everlore.campaign.canon.vocabulary import kinds, stem_of, stems_in
from everlore.domain.words import words_of
from everlore.language.numbers import numbers_in

_IS = re.compile(r"^(?:is|are|was|were) (?:still )?(?P<what>.+)$")
_NUMBER = (
    r"(?:\d[\d,]*|(?:a )?single\b|both (?:of )?(?:his |her |its |their |the )?|an? pair of\b|"
    r"(?:a |an )?(?:(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|"
    r"thousand|dozen|million)(?:[ -]|\b))+)"
)
_KNOWN = {"single": 1.0, "both": 2.0, "pair": 2.0}
_UNITS = {"hour": 1 / 24, "day": 1, "night": 1, "week": 7, "month": 30, "season": 91, "winter": 365, "summer": 365}
_UNITS |= {"spring": 365, "autumn": 365, "year": 365, "decade": 3_650, "generation": 9_000, "century": 36_500}
_UNIT = (
    r"(?P<unit>hour|day|night|week|month|season|winter|summer|spring|autumn|year|decade|generation|centur(?:y|ie))s?"
)
_AGE = re.compile(
    rf"^(?:is|was) (?:still )?(?:only |just )?(?P<n>{_NUMBER})[ -]?(?:(?:years?|winters?|summers?)(?: old| of age)?)?$"
)
_COUNTED = re.compile(
    rf"\b(?P<verb>has|have|had|are|were|contains?|holds?|numbers?|of|with|by|is|was|lasted|lasts|^[a-z]+s)\s+"
    rf"(?P<rough>(?:\w+ (?:than )?){{0,2}}?)(?P<n>{_NUMBER})\s?(?P<what>\w[\w'-]*(?: \w[\w'-]*){{0,2}})"
)
_STRONG = re.compile(rf"^(?:has|have|had) (?:an?|the|its) (?P<what>[a-z]+) of (?P<n>{_NUMBER})$")
_AGO = re.compile(rf"\b(?P<n>{_NUMBER})\s?{_UNIT} ago\b|\blast {_UNIT.replace('unit', 'last')}\b")
_SIDE = re.compile(
    r"\b(?P<side>before|after) (?P<of>(?:the |his |her |their )?[\w' -]+?)(?: (?:ended|began|started))?$"
)
_ONLY_A = re.compile(r"^(has|have|had|contains|holds) (?:only|but|just) an? (\w)")
_PART = (
    r"(?P<part>eye|arm|leg|hand|head|horn|wing|ear|tail|tooth|finger|foot|feet|eyes|arms|legs|hands|heads|horns|"
    r"wings|ears)"
)
_PARTED = re.compile(
    r"\b(?P<n>one|two|three|four|five|six|seven|eight|nine|ten)-"
    r"(?P<part>(?:eye|arm|leg|hand|head|horn|wing|ear|tail|finger)(?:d|g?ed))\b",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?<=eye)d$|(?<!ey)g?ed$")
_BOTH = re.compile(rf"\b(?P<n>both) (?:of )?(?:his|her|its|their) (?:own |\w+ )?{_PART}\b")
_SUBJECT = re.compile(rf"^(?:only |just |exactly )?(?P<n>{_NUMBER})\s?(?P<what>[a-z][a-z ]*)$", re.IGNORECASE)
_STANDS = re.compile(
    r"^(?:stand|stands|hang|hangs|live|lives|lie|lies|rise|rises|dwell|dwells|are|is|circle|orbit|shine)"
    r"(?= )(?P<where> (?:in|on|at|above|over|beneath|under|near|by|behind|beside|before|around)"
    r" .+?)(?: every \w+| each \w+|$)"
)
_NO_NOUN = frozenset("of in on at with and or but that who which to by for from as than is are was were".split())


def counted(clause: CanonClause) -> Iterator[RespectReading]:
    aged = _AGE.match(clause.says)
    if aged is not None:
        yield RespectReading(
            "number", "age", clause.subject, clause.subject, amount=_amount(aged["n"]), denied=clause.denied
        )
        return
    text = f"{clause.subject.text} {clause.says}" if clause.subject.text.lower() == "there" else clause.says
    crew = _STRONG.search(clause.says)
    if crew is not None and not clause.denied:
        amount = _amount(crew["n"])
        yield RespectReading("number", stem_of(crew["what"]), clause.subject, clause.subject, amount=amount)
    yield from _parts(clause)
    yield from _standing(clause)
    for found in _COUNTED.finditer(_ONLY_A.sub(r"\1 one \2", text)):
        rough = set(words_of(found["rough"])) - {"only", "exactly", "just", "precisely", "worth", "every", "all"}
        unit = _unit(found["what"].split()[0])
        if rough or clause.denied or "ago" in found["what"].split():
            continue
        yield from _with_kinds(_count(clause, found, found.string, unit))


def _with_kinds(reading: RespectReading) -> Iterator[RespectReading]:
    """Three sons are at least three children."""
    yield reading
    for kind in kinds().get(reading.respect, ()):
        yield replace(reading, respect=kind, is_sure=False)


def _parts(clause: CanonClause) -> Iterator[RespectReading]:
    """ "The one-eyed king", "with both his hands": how many of its parts somebody has."""
    if clause.denied:
        return
    for found in (*_PARTED.finditer(f"{clause.subject.text} {clause.says}"), *_BOTH.finditer(clause.says)):
        part = stem_of(_ENDING.sub("", found["part"].lower()))
        amount = _amount(found["n"])
        if amount >= 0:
            yield RespectReading("number", part, clause.subject, clause.subject, amount=amount)


def _standing(clause: CanonClause) -> Iterator[RespectReading]:
    """ "Two moons hang above Orne": there are two."""
    found, stays = _SUBJECT.match(clause.subject.text), _STANDS.match(clause.says)
    if found is not None and stays is not None and not clause.denied:
        of = thing_of(f"{found['what']} {stays['where']}")
        yield RespectReading("number", "there", of, of, amount=_amount(found["n"]))


def _count(clause: CanonClause, found: re.Match[str], text: str, unit: float) -> RespectReading:
    """`what`: that to which it is counted, "miles from Orne"."""
    words, amount = found["what"].split(), _amount(found["n"])
    if clause.subject.text.lower() == "there":
        counted = thing_of(text[found.start("what") :])
        return RespectReading("number", "there", counted, counted, amount=amount)
    # "Owes Ash a debt of ten crowns": what stands before is counted too.
    before = " ".join(sorted(stems_in(text[: found.start()])))
    if unit:
        measured = words[1] if len(words) > 1 else found["verb"]
        return RespectReading(
            "number", f"{before} long {measured}", clause.subject, clause.subject, amount=amount * unit
        )
    phrase = _noun_phrase(words)
    of, to = clause.subject, thing_of(text[found.start("what") + len(" ".join(phrase)) :])
    respect = f"{before} {stem_of(phrase[-1])}".strip()
    return RespectReading("number", respect, of, to, frozenset(phrase[:-1]), amount=amount)


def _noun_phrase(words: list[str]) -> list[str]:
    """Up to the noun: nothing behind a small word belongs to it."""
    kept: list[str] = []
    for word in words:
        if word in _NO_NOUN:
            break
        kept.append(word)
    return kept or words[:1]


def dated(clause: CanonClause) -> Iterator[RespectReading]:
    ago = _AGO.search(clause.says)
    timeless = _AGO.sub("", _IS.sub(r"\g<what>", clause.says))
    deed = stem_of(next(iter(words_of(timeless)), "be"))
    if ago is not None:
        days = _amount(ago["n"]) * _unit(ago["unit"]) if ago["n"] else _unit(ago["last"])
        yield RespectReading("when", f"ago {deed}", clause.subject, clause.subject, amount=days, denied=clause.denied)
    side = _SIDE.search(clause.says)
    if side is not None:
        values = frozenset({side["side"]})
        yield RespectReading("when", f"side {deed}", clause.subject, thing_of(side["of"]), values, denied=clause.denied)


def _unit(word: str) -> float:
    return _UNITS.get(word.removesuffix("s")) or _UNITS.get("century" if word.startswith("centur") else "", 0)


def _amount(text: str) -> float:
    known = next((amount for word, amount in _KNOWN.items() if word in text.split()), None)
    if known is not None:
        return known
    plain = text.strip().removeprefix("a ").removeprefix("an ").strip()
    numbers = [each.value for each in numbers_in(plain)]
    try:
        return float(numbers[0]) if numbers else -1.0
    except ValueError:
        return -1.0
