"""What a clause says, in which respect: who rules it, where it is, of what it is made, how many there are. Pure.

Two readings of one thing in one respect can be compared; two sentences cannot. Start at `readings_of`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache

from everlore.campaign.canon.amounts import counted, dated
from everlore.campaign.canon.clauses import CanonClause, clauses_of
from everlore.campaign.canon.happenings import called, happened, superlative
from everlore.campaign.canon.respects import RespectReading
from everlore.campaign.canon.things import CanonThing, thing_of
from everlore.campaign.canon.vocabulary import deed_pattern, deeds, doers, entries, lines_of, members, stem_of
from everlore.domain.words import words_of

_ROLE_OF = re.compile(
    r"^(?:is|are|was|were) (?:still )?(?P<denied>not )?the (?P<which>\w+ )?(?P<role>[\w-]+) of (?P<of>.+)$"
)
_OWN_ROLE = re.compile(r"^(?:is|are|was|were) (?:still )?(?P<of>[\w' -]+?)'s? (?P<old>\w+ )?(?P<role>[\w-]+)$")
_IS = re.compile(r"^(?:is|are|was|were) (?:still )?(?P<what>.+)$")
_AWAY = re.compile(r"(?:from|to|in|on|at|by|with|near|through|along|past|into|over|under|behind|of)\b")
_ORDINALS = frozenset("first second third last next only greatest oldest eldest youngest previous".split())
_PLACE = r"(?P<how>in|on|at|beneath|under|below|within|inside|above|atop|near|by|beside|behind|off|across from|among) "


@lru_cache(maxsize=8_192)
def readings_of(text: str) -> tuple[RespectReading, ...]:
    return tuple(reading for clause in clauses_of(text) for reading in read(clause))


def read(clause: CanonClause) -> Iterator[RespectReading]:
    plain = replace(clause, says=_flat(clause.says))
    if clause.is_of_nobody:
        yield from _unheld(plain)
        return
    for reader in (_done, _held, _unheld, superlative, _placed, happened, _classed, called, counted, dated):
        yield from reader(plain)


_BEEN = re.compile(r"^(?:has|have) (?P<never>never |not )?been\b")
_FILLER = re.compile(r" (?:always|indeed|already|actually|in fact|truly|really|simply|forever)\b")


def _flat(says: str) -> str:
    """ "Has always been kept": is kept."""
    return _BEEN.sub(lambda found: f"is {found['never'] or ''}".strip(), _FILLER.sub("", says))


# ── who ──────────────────────────────────────────────────────────────────────────────────────────


def _done(clause: CanonClause) -> Iterator[RespectReading]:
    """ "Ash rules Orne", "Orne is ruled by Ash"."""
    belongs = _BELONGS.match(clause.says)
    if belongs is not None:
        yield _who("own", clause.subject, thing_of(_short(belongs["to"])), denied=clause.denied)
        return
    passive = _passive().match(clause.says)
    if passive is not None and _is_one(clause.subject):
        yield _who(_deed(passive["deed"]), clause.subject, thing_of(_short(passive["by"])), denied=clause.denied)
        return
    active = _active().match(clause.says)
    if active is not None:
        of = thing_of(_short(active["of"]))
        if _is_one(of) and not _AWAY.match(active["of"]):
            yield _who(_deed(active["deed"]), of, clause.subject, denied=clause.denied)


_BELONGS = re.compile(r"^(?:(?:does |do )?(?:not )?belongs? to|(?:is|are) the property of) (?P<to>.+)$")


@cache
def _passive() -> re.Pattern[str]:
    return re.compile(
        rf"^(?:is|are|was|were|has been|have been|had been) (?:not |never |\w+ly |still )?(?P<deed>{deed_pattern()}) "
        r"(?:(?!by)[\w' -]+ )?by (?P<by>.+)$"
    )


@cache
def _active() -> re.Pattern[str]:
    return re.compile(
        rf"^(?:has |have |had |does |did |do )?(?:not |never |still |\w+ly )?"
        rf"(?P<deed>{deed_pattern()}|rule|lead|govern) (?P<of>.+)$"
    )


def _is_one(thing: CanonThing) -> bool:
    """By name, or "the …": of "a wolf" there are many."""
    return bool(thing.names) or re.match(r"(?:the|his|her|their|its|\w+'s) ", thing.text, re.IGNORECASE) is not None


def _deed(form: str) -> str:
    return deeds().get(form, "rule")


def _who(respect: str, of: CanonThing, who: CanonThing, *, denied: bool) -> RespectReading:
    return RespectReading("who", respect, of, who, denied=denied)


def _held(clause: CanonClause) -> Iterator[RespectReading]:
    """ "Ash is the chief of Orne", "Orne's chief is Ash", "Ash is Orne's chief"; and what kin they are."""
    found = _ROLE_OF.match(clause.says) or _OWN_ROLE.match(clause.says)
    if found is not None and (found.groupdict().get("which") or "").strip() in _ORDINALS:
        # The first king of Orne, of whom `superlative` tells, is not its king.
        return
    if found is not None:
        yield from _role(stem_of(found["role"].lower()), found["role"], thing_of(found["of"]), clause.subject, clause)
        return
    called = _IS.match(clause.says)
    head = clause.subject.head
    if called is None or _AWAY.match(called["what"]):
        # "Orne's chief is in the tower" says where.
        return
    if head and clause.subject.of and head in _stems("roles") | _stems("kin"):
        of = _whole(clause.subject)
        which = clause.subject.nouns & _ORDINALS
        if which:
            who = thing_of(_short(called["what"]))
            yield _who(f"role {' '.join(sorted(which))} {head}", of, who, denied=clause.denied)
            return
        yield from _role(head, head, of, thing_of(_short(called["what"])), clause)


_NO_ROLE = re.compile(
    r"^(?:has|have) (?:no|not an?|never had an?|never had) (?P<role>[a-z-]+)$|^never had (?:an? )?(?P<ever>[a-z-]+)$"
)


def _unheld(clause: CanonClause) -> Iterator[RespectReading]:
    """ "Orne has no ruler", "nobody rules Orne": whoever is said to rule it does not."""
    found = _NO_ROLE.match(clause.says)
    active = _active().match(clause.says) if clause.is_of_nobody else None
    nobody = thing_of("")
    if found is not None and not clause.is_of_nobody:
        role = found["role"] or found["ever"]
        if role in members("roles"):
            yield _who(f"role {stem_of(role)}", clause.subject, nobody, denied=True)
        if role in doers():
            yield _who(doers()[role], clause.subject, nobody, denied=True)
    elif active is not None and not clause.subject.of:
        yield _who(_deed(active["deed"]), thing_of(_short(active["of"])), nobody, denied=True)


def _whole(part: CanonThing) -> CanonThing:
    """Whose: "the chief of Orne" is of Orne, and so is "Orne's chief"."""
    own = re.match(r"(?P<of>.+?)(?:'s|(?<=s)') ", part.text) or re.search(r"\bof (?P<of>.+)", part.text)
    return thing_of(own["of"] if own else "")


def _role(stem: str, word: str, of: CanonThing, who: CanonThing, clause: CanonClause) -> Iterator[RespectReading]:
    kin = {stem_of(each): each for each in entries("kin")}
    if stem in kin:
        yield RespectReading("kin", "kin", of, who, frozenset({kin[stem]}), denied=clause.denied)
    if stem in _stems("one of each") or (stem in _stems("roles") and stem not in kin):
        yield _who(f"role {stem}", of, who, denied=clause.denied)
    if word in doers():
        yield _who(doers()[word], of, who, denied=clause.denied)


@cache
def _stems(name: str) -> frozenset[str]:
    return frozenset(stem_of(each) for each in members(name))


# ── where, and what it is like ───────────────────────────────────────────────────────────────────


def _placed(clause: CanonClause) -> Iterator[RespectReading]:
    found = _stay().match(clause.says)
    if found is None:
        return
    where = thing_of(_first(found["where"]))
    # Who merely is somewhere goes elsewhere; what stands somewhere stays, and so does a thing.
    is_lasting = found["stays"] not in ("is", "are", "was", "were") or _is_thing(clause.subject)
    yield RespectReading(
        "where",
        _how(found["how"]),
        clause.subject,
        where,
        denied=clause.denied,
        is_sure=is_lasting,
        values=_side(found),
    )


@cache
def _stay() -> re.Pattern[str]:
    return re.compile(
        rf"^(?P<stays>{'|'.join(entries('stays'))})(?: \w+ly| still| not| far| deep| just| \w+ miles)* "
        rf"{_PLACE}(?P<where>.+)$"
    )


def _side(found: re.Match[str]) -> frozenset[str]:
    return frozenset(words_of(found["where"])) & members("directions")


def _how(preposition: str) -> str:
    inside = ("in", "at", "within", "inside")
    return "in" if preposition in inside else preposition


def _is_thing(thing: CanonThing) -> bool:
    """ "The temple", "Orne Library": no person, who would come and go."""
    named = thing.names & members("things")
    return bool(named) or (bool(thing.head) and not thing.names) or (bool(thing.of) and "the " in thing.text.lower())


def _classed(clause: CanonClause) -> Iterator[RespectReading]:
    """Kind, colour, matter: what the words behind "is" are, or those before a part of it ("has brown eyes")."""
    kind = _kind().match(clause.says)
    if kind is not None:
        values = frozenset({kind["kind"]})
        yield RespectReading("class", "beings", clause.subject, clause.subject, values, denied=clause.denied)
    for name in ("colours", "materials"):
        for of, words in _described(clause, made=name == "materials"):
            known = lines_of(name)
            values = frozenset(each for each in words if each in known)
            if values:
                yield RespectReading("class", name, of, of, values, denied=clause.denied)


_MADE = re.compile(
    r"^(?:is|are|was|were) (?:\w+ly )?(?:made|built|forged|carved|cast|woven|wrought|hewn|crafted)"
    r"(?: \w+ly| out)* (?:of|from|in) (?P<what>.+)$"
)


@cache
def _has() -> re.Pattern[str]:
    parts = "|".join(sorted(members("parts"), key=len, reverse=True))
    return re.compile(rf"^(?:has|have|had|wears|wore) (?:an? |the |his |her )?(?P<words>[\w' -]+?) (?P<part>{parts})$")


@cache
def _kind() -> re.Pattern[str]:
    """ "Is a dwarf from the hills"; "a dragon hunter" is no dragon, and "a giant of a man" no giant."""
    beings = "|".join(sorted(members("beings"), key=len, reverse=True))
    return re.compile(
        r"^(?:is|was|are|were) (?:still )?(?:not )?"
        r"(?:an? (?:(?!(?:of|by|in|with|to|from|for|at|on|like|as|and) )[a-z-]+ ){0,2}?|all |)"
        rf"(?P<kind>{beings})s?(?: being)?"
        r"(?=$|,| (?:from|with|who|that|by|in|and|of (?!an? )))"
    )


_TO_WHAT = re.compile(r"\b(?:to|of|from|by|with|than|for|about|against|like)\b")


def _described(clause: CanonClause, *, made: bool) -> Iterator[tuple[CanonThing, tuple[str, ...]]]:
    found = _has().match(clause.says)
    if found is not None:
        yield thing_of(f"{clause.subject.text}'s {found['part']}"), words_of(found["words"])
    found = _MADE.match(clause.says) if made else None
    if found is not None:
        yield clause.subject, words_of(_first(found["what"]))
        return
    found = _IS.match(clause.says)
    if found is not None:
        words = words_of(_TO_WHAT.split(found["what"], maxsplit=1)[0])
        # "Is silver", "is a dark red": a few words, and nothing behind them that these could be of.
        if len(words) <= 4:
            yield clause.subject, words


# ── phrases ──────────────────────────────────────────────────────────────────────────────────────

_END = re.compile(
    r",| (?:with|during|because|after|before|when|while|since|until|for|as|to|in his|in her|in the (?!\w+ of)) ?"
)


def _short(text: str) -> str:
    """Up to where the phrase ends."""
    return _END.split(text, maxsplit=1)[0].strip()


def _first(text: str) -> str:
    return re.split(r",| (?:where|with|because|which|that|and (?:is|was|has)) ", text, maxsplit=1)[0].strip()
