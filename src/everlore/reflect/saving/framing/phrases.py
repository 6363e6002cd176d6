"""The phrases that are understood: "works as …", "is allergic to …", "has a cat named …".

A table, read from the top: the first pattern that fits the whole phrase names the slot. `v` is what holds and `t`
the topic. Phrases have at most a few hundred characters, and no pattern repeats a repetition.

Start at `phrase_of`.
"""

import re
from dataclasses import dataclass, replace

from everlore.domain.claim import Slot
from everlore.domain.dates import without_dates
from everlore.domain.words import query_terms
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed
from everlore.language.people import KIN_OF
from everlore.language.tense import Tense
from everlore.reflect.saving.framing import values
from everlore.reflect.saving.framing.mood import Mood
from everlore.reflect.saving.framing.plainer import plainer
from everlore.reflect.saving.framing.slots import VERBAL
from everlore.reflect.saving.framing.values import Value
from everlore.reflect.saving.framing.vocabulary import (
    BEFORE_KIN,
    BEFORE_PARTNERS,
    DIETS,
    KIN,
    NO_MORE,
    OCCUPATIONS,
    PARTNERS,
    PETS,
    kin_of,
    manner_of,
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """`said` and `topic` are words as they stand. `denied`: the phrase itself says that something is over. `tense`
    where the form of its verb misleads."""

    slot: Slot
    said: str
    topic: str = ""
    denied: bool = False
    is_change: bool = False
    tense: Tense | None = None


@dataclass(frozen=True, slots=True)
class _Pattern:
    slot: Slot
    regex: re.Pattern[str]
    denied: bool = False
    is_change: bool = False
    tense: Tense | None = None


def _is(slot: Slot, pattern: str, tense: Tense | None = None) -> _Pattern:
    return _Pattern(slot, re.compile(pattern, re.IGNORECASE), tense=tense)


def _new(slot: Slot, pattern: str) -> _Pattern:
    """Holds from now on, and something else did before."""
    return _Pattern(slot, re.compile(pattern, re.IGNORECASE), is_change=True, tense=Tense.NOW)


def _over(slot: Slot, pattern: str) -> _Pattern:
    return _Pattern(slot, re.compile(pattern, re.IGNORECASE), denied=True, is_change=True, tense=Tense.NOW)


_THEIR = "(?:his|her|their|the|a|an|his or her)"
_NUMBER = "no|one|two|three|four|five|six|seven|eight|nine|ten|[0-9]{1,2}"
_AGE_WORDS = "[a-z]{2,6}teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-[a-z]{3,5})?"
_SOME = f"(?:(?:{_NUMBER}|an?|any|some|many|several|{_THEIR}) )?"
_NAMED = ",? (?:named|called|whose names? (?:is|are)|by the name of)"
_LOVER = f"(?:(?:{BEFORE_PARTNERS})[ -]){{0,2}}(?P<t>{PARTNERS})"
_RELATIVE = f"(?:(?:{BEFORE_KIN})[ -]){{0,3}}(?P<t>{KIN})"
_FORMER = f"(?P<t>(?:{NO_MORE}) (?:{PARTNERS}))"
_STATUS = "single|married|divorced|engaged|widowed|separated|in a relationship|in a long-distance relationship|dating"
_BEGAN = (
    "(?:(?:got|found|took|accepted|landed|secured|starts?|started|begins?|began|has) "
    f"{_THEIR} (?:new )?(?:job|position|role)|(?:starts?|started|begins?|began) work)"
)
_SOMEWHERE = "(?:at|with|for|in|by) .{1,80}?"
_SWITCHED = "(?:switched|changed) (?:jobs?|careers?)"
_PARENT = "(?:mother|father|mom|mum|dad|parent)"
_WORK = "works?|worked|working|is working|is employed|employed"

PATTERNS: tuple[_Pattern, ...] = (
    # Work that is over, before anything else is quit.
    _over(Slot.OCCUPATION, rf"(?:quit|left|lost|resigned from|gave up) {_THEIR} (?:job|position|work) as (?P<v>.+)"),
    _over(
        Slot.EMPLOYER, rf"(?:quit|left|lost|resigned from|gave up) {_THEIR} (?:job|position|work) (?:at|with) (?P<v>.+)"
    ),
    _over(Slot.EMPLOYER, r"(?:stopped|quit) working (?:at|for|with) (?P<v>.+)"),
    _over(Slot.EMPLOYER, r"(?:is |got )(?:fired|laid off|let go) (?:from|by) (?P<v>.+)"),
    _over(
        Slot.OCCUPATION,
        rf"(?:quit|left|lost|resigned from|gave up) {_THEIR} (?:(?:old|current) )?(?:job|work|position)",
    ),
    _over(
        Slot.OCCUPATION, r"(?:is |got )(?:fired|laid off|let go|unemployed|jobless|out of work|between jobs|retired)"
    ),
    _over(Slot.OCCUPATION, r"(?:retired|resigned)(?: from work)?"),
    _new(Slot.OCCUPATION, rf"{_BEGAN}(?: {_SOMEWHERE})? as (?P<v>.+)"),
    _new(Slot.EMPLOYER, rf"{_BEGAN} (?:at|with|for) (?P<v>.+)"),
    _new(Slot.OCCUPATION, r"joined .{1,80}? as (?P<v>an? .+)"),
    _new(Slot.OCCUPATION, r"(?:is|got) promoted to (?P<v>.+)"),
    _new(Slot.OCCUPATION, rf"{_SWITCHED} (?:to|and (?:now )?(?:is|became|works as)) (?P<v>.+)"),
    _new(Slot.OCCUPATION, r"is hired as (?P<v>.+)"),
    _new(Slot.EMPLOYER, r"is hired (?:by|at) (?P<v>.+)"),
    _is(Slot.OCCUPATION, rf"(?:{_WORK}|work)(?: {_SOMEWHERE})? as (?P<v>.+)"),
    _is(Slot.EMPLOYER, rf"(?:{_WORK}|work) (?:at|for|with|by) (?P<v>.+)"),
    _is(Slot.WORKPLACE, r"(?:has|have) an? job in (?P<v>.+)"),
    _is(Slot.WORKPLACE, rf"(?:{_WORK}|work) (?:in|from) (?P<v>.+)"),
    # Where they live, and come from.
    _over(Slot.HOME, r"moved (?:away from|out of) (?P<v>.+)"),
    _new(
        Slot.HOME,
        r"(?:moved|relocated|emigrated|immigrated|migrated)(?: back| house| home)?(?: from [\w ]{1,40})? "
        r"(?:to|into) (?P<v>.+)",
    ),
    _new(Slot.HOME, r"(?:settled(?: down)?|moved in with .{1,60}?) in (?P<v>.+)"),
    _new(Slot.HOME, r"(?:returned to|went back to|came back to) live in (?P<v>.+)"),
    _is(
        Slot.HOME,
        r"(?:is )?(?:lives?|lived|living|resides?|resided|residing|dwells?|based|located) (?:in|at) (?P<v>.+)",
    ),
    _is(Slot.BIRTH_YEAR, r"is born in (?:[a-z]{3,9} )?(?P<v>[0-9]{4})", Tense.NOW),
    _is(Slot.BIRTHDAY, r"is born on (?P<v>.+)", Tense.NOW),
    _is(Slot.ORIGIN, r"(?:is born(?: and raised)?|grew up|is raised|is originally raised) in (?P<v>.+)", Tense.NOW),
    _is(Slot.ORIGIN, r"(?:is|comes?|came|hails?|is originally) from (?P<v>.+)", Tense.NOW),
    # Who they are.
    _is(Slot.NAME, r"is (?:named|called) (?P<v>[A-Z].{0,80})"),
    _new(Slot.NAME, r"changed (?:his|her|their) (?:first |legal )?name to (?P<v>[A-Z].{0,80})"),
    _is(Slot.NICKNAME, r"prefers to be called (?P<v>.{1,80})"),
    _is(Slot.NICKNAME, r"(?:goes by|is known as|is nicknamed)(?: the name)?(?: of)? (?P<v>.{1,80})"),
    _is(Slot.AGE, r"is (?:about |around |almost |nearly )?(?P<v>[0-9]{1,3})(?: years? old| years of age)?"),
    _is(Slot.AGE, rf"is (?P<v>{_NUMBER}|{_AGE_WORDS}) years? old"),
    _is(Slot.AGE, rf"is (?P<v>t(?:wo|hree|en|welve)|f(?:our|ive)|s(?:ix|even)|eight|nine|eleven|{_AGE_WORDS})"),
    _new(Slot.AGE, rf"turned (?P<v>[0-9]{{1,3}}|{_AGE_WORDS})(?: years? old)?"),
    # Who they are with.
    _over(
        Slot.PARTNER, r"(?:broke up with|split up with|separated from|divorced|left) (?P<t>his|her|their) (?:[\w-]+)"
    ),
    _over(
        Slot.PARTNER,
        r"(?:broke up with|split up with|separated from|divorced|got divorced from|is divorced from) (?P<v>.+)",
    ),
    _over(Slot.PARTNER, r"broke up|split up"),
    _new(Slot.PARTNER, r"got (?P<t>married|engaged) to (?P<v>.+)"),
    _new(Slot.PARTNER, r"(?P<t>married) (?P<v>[A-Z].{0,80})"),
    _new(Slot.RELATIONSHIP_STATUS, rf"got (?P<v>{_STATUS})"),
    _is(
        Slot.RELATIONSHIP_STATUS,
        rf"is (?:happily |recently |newly |currently )?(?P<v>{_STATUS})(?: with someone| someone)?",
    ),
    _is(Slot.PARTNER, r"is (?:happily )?(?P<t>married|engaged) (?:to|with) (?P<v>.+)"),
    _is(
        Slot.PARTNER,
        r"(?:is )?(?P<t>dating|dates|seeing|going out with|together with|in a relationship with) (?P<v>.+)",
    ),
    _is(Slot.PARTNER, r"is with (?P<v>(?-i:[A-Z])[\w-]{1,40})"),
    _is(Slot.PARTNER, rf"(?:has|have) (?:an? )?{_LOVER}(?:{_NAMED} (?P<v>.+))?"),
    _is(Slot.FAMILY, rf"(?:has|have) an? {_FORMER}(?:{_NAMED} (?P<v>.+))?"),
    _is(Slot.FAMILY, rf"(?:has|have|had) {_SOME}{_RELATIVE}{_NAMED} (?P<v>.+)"),
    _is(Slot.FAMILY, rf"(?:has|have) (?:(?:an?|any|some|several) )?{_RELATIVE}"),
    _is(Slot.FAMILY_SIZE, rf"(?:has|have) (?P<v>{_NUMBER}) {_RELATIVE}"),
    _is(Slot.FAMILY_SIZE, rf"(?:has|have) (?P<v>{_NUMBER}) (?:[\w-]{{1,30}} )?(?P<t>{PETS})"),
    _is(Slot.FAMILY_SIZE, rf"is (?:an?|the) (?:single )?{_PARENT} of (?P<v>{_NUMBER})(?: (?P<t>{KIN}))?"),
    _is(Slot.FAMILY, rf"is (?:an?|the) (?:single )?{_PARENT} of an? (?P<t>{KIN})"),
    _is(
        Slot.PET,
        rf"(?:has|have|owns?|keeps?|adopted|rescued|got|bought) (?:{_NUMBER}|an?|{_THEIR})"
        rf"(?: (?!(?:of|who|that|with|for|and|in) )[\w-]{{1,30}}){{0,3}} (?P<t>{PETS})(?:{_NAMED} (?P<v>.+))?",
        Tense.NOW,
    ),
    # Body and table.
    _is(Slot.ALLERGY, r"is (?:\w+ )?allergic to (?P<v>.+)"),
    _is(Slot.ALLERGY, r"(?:has|have|developed) an? (?:\w+ )?allergy to (?P<v>.+)", Tense.NOW),
    _is(Slot.ALLERGY, r"(?:has|have|developed) an? (?:severe |mild |bad )?(?P<v>[\w ]{1,40}) allergy", Tense.NOW),
    _is(Slot.ALLERGY, r"is (?P<v>\w+)[ -]intolerant"),
    _is(Slot.DIET, rf"is (?:an? )?(?:strict |mostly |lifelong )?(?P<v>{DIETS})"),
    _new(Slot.DIET, rf"(?:went|turned) (?P<v>{DIETS})"),
    _is(Slot.DIET, r"(?:eats?|ate|eating) (?P<v>meat)"),
    # What they like.
    _is(
        Slot.GOAL,
        r"(?:wants?|would (?:like|love)|hopes?|dreams?|aims?|wishes|aspires?|longs?) (?:to|of) (?P<v>.+)",
        Tense.FUTURE,
    ),
    _is(Slot.LIKE, r"(?:likes?|loves?|enjoys?|adores?|prefers?|liked|loved|enjoyed|liking|loving|enjoying) (?P<v>.+)"),
    _is(
        Slot.LIKE,
        r"is (?:\w+ )?(?:a (?:big |huge |great )?fan of|into|fond of|passionate about|keen on|crazy about|"
        r"interested in|obsessed with) (?P<v>.+)",
    ),
    _is(Slot.LIKE, r"is an? (?:big |huge |keen |lifelong )?(?P<v>[\w' ]{1,40}) (?:fan|supporter)"),
    _is(Slot.LIKE, r"supports (?P<v>[A-Z].{1,40})"),
    _is(Slot.DISLIKE, r"(?:dislikes?|hates?|detests?|loathes?|despises?|disliked|hated|hating) (?P<v>.+)"),
    _is(Slot.DISLIKE, r"(?:can't|cannot|can not) (?:stand|bear|abide) (?P<v>.+)"),
    # What they can, and what they learn.
    _is(Slot.LANGUAGE, r"(?:is )?(?:can speak|speaks?|spoke|speaking|fluent in|a native speaker of) (?P<v>.+)"),
    _is(
        Slot.STUDY,
        r"(?:is )?(?:studies|study|studied|studying|learning|learns|majoring in|majors in) (?:to |how to )?(?P<v>.+)",
    ),
    _new(Slot.SKILL, r"(?:learned|learnt|mastered) (?:to |how to )?(?P<v>.+)"),
    _is(
        Slot.SKILL,
        r"(?:can|knows how to|is able to|is (?:very )?(?:good|skilled|great|proficient) (?:at|in|with)) (?P<v>.+)",
    ),
    # What they are going to do.
    _over(Slot.PLAN, r"(?:(?:has|have) )?decided (?:not to|against) (?P<v>.+)"),
    _over(
        Slot.PLAN,
        rf"(?:cancelled|canceled|called off|gave up on|abandoned) (?:{_THEIR} )?(?:plans? (?:to|for) )?(?P<v>.+)",
    ),
    _is(
        Slot.PLAN,
        r"(?:plans?|is planning|intends?|will|is going to|is about to|decided|is preparing) (?:to |on )?(?P<v>.+)",
        Tense.FUTURE,
    ),
    _is(
        Slot.PLAN,
        r"is (?P<v>(?:moving|relocating|travell?ing|flying|leaving|getting married|starting|visiting) .+)",
        Tense.FUTURE,
    ),
    _is(Slot.GOAL, r"is (?:trying to|saving (?:up )?for|working towards?) (?P<v>.+)", Tense.FUTURE),
    # What they have, do and are.
    _over(
        Slot.PET, rf"(?:sold|gave away|lost|rehomed) {_THEIR}(?: [\w-]{{1,30}})? (?P<t>{PETS})(?:{_NAMED} (?P<v>.+))?"
    ),
    _over(Slot.POSSESSION, rf"(?:sold|gave away|lost|got rid of) {_THEIR} (?P<v>.+)"),
    _is(Slot.POSSESSION, rf"(?:bought|purchased|got) {_THEIR} (?P<v>.+)", Tense.NOW),
    _is(Slot.POSSESSION, r"(?:drives?|drove) an? (?P<v>.+)"),
    _is(Slot.POSSESSION, r"(?:has|have|owns?|possesses|had|owned|having) (?P<v>.+)"),
    _is(Slot.HABIT, r"is (?P<v>[a-z]{2,30}ing(?: .+)?)"),
    _is(Slot.BEING, r"is (?P<v>.+)"),
)
_DATES = frozenset({Slot.BIRTHDAY, Slot.BIRTH_YEAR})
_LASTING = re.compile(
    r" for (?:over |about |almost |more than )?\w{1,20}(?: \w{1,20})? (?:day|week|month|year)s?$"
    rf"|(?<=\w\w\w) (?:{_NUMBER}|{_AGE_WORDS}) (?:month|year)s?$"
    r"| since .{1,60}$"
)
_SOMEBODY = re.compile(r"(?:some(?:one|body)|an?|his|her|their)\b", re.IGNORECASE)
_VERB_NO = re.compile(r"(\w{1,30}) no (?=\w)")
_THIRD_PERSON = re.compile(r"[a-z]{2,30}s(?<!ss)(?: .*)?")
_NOT_VERBS = listed("verbs.no_third_person")


def phrase_of(mood: Mood) -> Phrase | None:
    # Without its dates: "got divorced last year" is "got divorced". Those of a birth are what it says.
    plain = plainer(_LASTING.sub("", without_dates(mood.phrase)) or mood.phrase)
    for pattern in PATTERNS:
        match = pattern.regex.fullmatch(mood.phrase if pattern.slot in _DATES else plain)
        if match:
            return _read(pattern, match.groupdict())
    first = plain.split(" ", 1)[0]
    is_verb = mood.is_bare or (bool(_THIRD_PERSON.fullmatch(plain)) and first not in _NOT_VERBS)
    denied = _VERB_NO.match(plain)
    said = f"{denied[1]} {plain[denied.end() :]}" if denied else plain
    return Phrase(Slot.HABIT, said, denied=bool(denied)) if is_verb else None


def _read(pattern: _Pattern, found: dict[str, str | None]) -> Phrase:
    said, topic = found.get("v") or "", found.get("t") or ""
    # "Speaks no Spanish" denies it; "has no children" is a number of them.
    is_none = said.lower().startswith("no ")
    said = said[3:] if is_none else said
    phrase = Phrase(
        pattern.slot,
        said,
        topic=topic,
        denied=pattern.denied != is_none,
        is_change=pattern.is_change,
        tense=pattern.tense,
    )
    return _settled(phrase)


def _settled(phrase: Phrase) -> Phrase:
    """What only the words of the value tell."""
    match phrase.slot:
        case Slot.HOME if not value_of(Slot.HOME, phrase.said).value:
            return replace(phrase, slot=Slot.HABIT, said=f"live {phrase.said}")
        case Slot.PARTNER if not phrase.topic and not phrase.denied and phrase.said.lower() not in FIRST_NAMES:
            # "Is with Acme" is no couple.
            return replace(phrase, slot=Slot.BEING, said=f"with {phrase.said}")
        case Slot.BEING if value_of(Slot.BEING, phrase.said).head in OCCUPATIONS:
            return replace(phrase, slot=Slot.OCCUPATION)
    return phrase


# ── words that can be compared ───────────────────────────────────────────────────────────────────


def value_of(slot: Slot, said: str) -> Value:
    if not said:
        return Value(frozenset(), frozenset())
    if slot is Slot.HOME or slot is Slot.ORIGIN:
        return values.place(said)
    if slot is Slot.PARTNER and _SOMEBODY.match(said):
        return Value(frozenset(), values.stems(said))
    if slot in (Slot.NAME, Slot.NICKNAME, Slot.PARTNER, Slot.FAMILY, Slot.PET):
        return values.called(said)
    if slot in _DATES:
        return Value(values.stems(said), values.stems(said))
    if slot in (Slot.AGE, Slot.FAMILY_SIZE):
        one = frozenset({values.number(said)})
        return Value(one, one)
    return values.verb(said) if slot in VERBAL else values.noun(said)


def topic_of(slot: Slot, said: str) -> str:
    if slot is Slot.DIET:
        return "meat"
    if slot is Slot.PARTNER:
        return manner_of(said)
    if slot in (Slot.FAMILY, Slot.FAMILY_SIZE):
        kin = said.lower() or "children"
        return kin_of(kin) if kin in KIN_OF else " ".join(query_terms(kin))
    return " ".join(query_terms(said)) if said else ""
