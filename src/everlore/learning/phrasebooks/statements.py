"""Makes claims from parsed predicates, and from whole sentences that were typed or imported.

In: a subject and a parsed predicate, or "User moved to Warsaw", "User's sister Ana lives in Porto", "Bram is a
butcher". Out: a `Claim`; None if a sentence makes several statements, or matches no phrase.

Start at `claim_of` and `parsed`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from everlore.domain.claim import USER, Claim, Slot
from everlore.domain.memory import Category
from everlore.domain.words import query_terms
from everlore.language.lists import listed
from everlore.language.numbers import CARDINALS
from everlore.language.tense import Tense
from everlore.language.words import BEFORE_PERSONS, FIRST_NAMES, PETS, PLURAL_PETS, WORKS
from everlore.learning.claims import NOT_NAMES, kin_of, manner_of, noun, place, since_of
from everlore.learning.clauses import ClauseToken, lows, tokens_of
from everlore.learning.phrasebooks.persons import Kin, kin_at
from everlore.learning.phrasebooks.phrases import meaning_of, owned_topics, spellings, without_tail
from everlore.learning.phrasebooks.predicates import Predicate, VerbForm, predicate_of
from everlore.learning.phrasebooks.wording import shown

# A longer text makes several statements.
_MOST_CHARS = 300
# Cache size: comparing statements parses the same ones repeatedly.
_KEPT = 4_096
_OCCUPATIONS = frozenset(query_terms(" ".join(WORKS), most=2_000))
_WHICH = listed("people.which")
_NO_MORE = listed("people.no_more")


def subject_named(kind: str, name: str, subject: str = USER) -> str:
    """ "user's sister Emma": with a name, nothing else is needed to identify the person."""
    *before, noun = kind.lower().removesuffix(" in law").split() or [""]
    noun = f"{noun} in law" if kind.endswith(" in law") else kin_of(noun)
    which = next((word for word in before if word in _WHICH), "")
    return f"{subject}'s {noun} {name}".strip() if name else f"{subject}'s {which} {noun}".replace("  ", " ")


def claim_of(subject: str, predicate: Predicate) -> Claim | None:
    meaning = meaning_of(predicate)
    return None if meaning is None else settled(replace(meaning.claim, subject=subject))


def settled(claim: Claim) -> Claim:
    """Corrects the slot by the words of the value."""
    match claim.slot:
        case Slot.FAMILY | Slot.PET if not (claim.polarity or claim.is_change or claim.value):
            # "Does not have any kids", "does not have a cat": the number is none.
            return replace(claim, slot=Slot.FAMILY_SIZE, value="no", polarity=True)
        case Slot.HOME if not place(claim.value).value:
            return replace(claim, slot=Slot.HABIT, value=f"live {claim.value}")
        case Slot.PARTNER if not claim.topic and claim.polarity and claim.value.lower() not in FIRST_NAMES:
            # "Is with Acme" is no relationship.
            return replace(claim, slot=Slot.BEING, value=f"with {claim.value}")
        case Slot.BEING if noun(claim.value).head in _OCCUPATIONS:
            return replace(claim, slot=Slot.OCCUPATION)
    return claim


def kin_slot(noun: str) -> Slot:
    if noun in PETS | PLURAL_PETS:
        return Slot.PET
    return Slot.PARTNER if manner_of(noun) else Slot.FAMILY


def kin_claim(kind: str, name: str, quote: str = "") -> Claim:
    """ "Has a late husband named Piet": a former partner is no partner."""
    *before, noun = kind.lower().split() or [""]
    is_over = not _NO_MORE.isdisjoint(before) and kin_slot(noun) is Slot.PARTNER
    is_law = kind.endswith(" in law")
    topic = " ".join([*before[-2:], noun]) if is_law else f"{before[-1]} {noun}" if is_over else noun
    slot = Slot.FAMILY if is_over or is_law else kin_slot(noun)
    return Claim(slot=slot, topic=topic, value=name, quote=quote)


def ended_claim(kind: str, name: str, subject: str = USER, quote: str = "") -> Claim | None:
    """The claim that a pet or partner who died is no longer theirs."""
    noun = kind.split()[-1]
    slot = kin_slot(noun)
    if slot is Slot.FAMILY:
        return None
    return Claim(subject=subject, slot=slot, topic=noun, value=name, polarity=False, is_change=True, quote=quote)


_CATEGORIES = {
    **dict.fromkeys((Slot.LIKE, Slot.DISLIKE, Slot.FAVORITE, Slot.DIET, Slot.HABIT), Category.PREFERENCE),
    **dict.fromkeys((Slot.SKILL, Slot.LANGUAGE), Category.SKILL),
    **dict.fromkeys((Slot.GOAL, Slot.PLAN), Category.GOAL),
    **dict.fromkeys(
        (Slot.PARTNER, Slot.RELATIONSHIP_STATUS, Slot.FAMILY, Slot.FAMILY_SIZE, Slot.PET), Category.RELATIONSHIP
    ),
}
# Slots for which a change is a step in a life.
_LIVED = frozenset({Slot.HOME, Slot.OCCUPATION, Slot.EMPLOYER, Slot.HABIT, Slot.PET})


def category_of(claim: Claim) -> Category:
    if claim.subject != USER:
        return Category.RELATIONSHIP
    if claim.time is Tense.PAST and claim.slot is not Slot.NAME:
        return Category.EXPERIENCE
    if claim.is_change and claim.slot in _LIVED:
        return Category.EXPERIENCE
    return _CATEGORIES.get(claim.slot, Category.PERSONAL_INFO) if claim.slot else Category.PERSONAL_INFO


# ── "my favorite color is green" ─────────────────────────────────────────────────────────────────

_FAVORITE = re.compile(r"(?:(?:all-time|absolute|new|current) )?(?:favou?rite|preferred) (?P<t>.+)", re.IGNORECASE)


def owned_claim(subject: str, topic: str, predicate: Predicate) -> Claim | None:
    """A claim about something of theirs: `topic` is the noun after "my" or "User's"."""
    has_changed = predicate.verb == "change" and predicate.next == "to"
    if predicate.verb != "be" and not has_changed:
        return None
    topic = topic.lower()
    is_new = topic.startswith("new ") and topic[4:] in owned_topics()
    topic = topic[4:] if is_new else topic
    rest = predicate.rest[1:] if has_changed else predicate.rest
    slot, spelled = owned_topics().get(topic, (Slot.ATTRIBUTE, ""))
    alike = predicate.turned(verb="be", form=VerbForm.NOW, rest=rest)
    said = shown(rest).removeprefix("to ")
    found = _spelled(subject, slot, spelled, said) if spelled else _said_of(subject, slot, topic, alike)
    if found is None:
        return None
    return replace(
        found,
        polarity=not predicate.is_denied and found.polarity,
        time=found.time if has_changed or predicate.form is not VerbForm.PAST else Tense.PAST,
        is_change=found.is_change or has_changed or is_new or "now" in predicate.beside,
    )


def _said_of(subject: str, slot: Slot, topic: str, predicate: Predicate) -> Claim | None:
    found, favorite = claim_of(subject, predicate), _FAVORITE.fullmatch(topic)
    about = favorite["t"] if favorite else topic if slot is Slot.ATTRIBUTE else ""
    value, _ = without_tail(shown(predicate.rest))
    return found and replace(found, slot=Slot.FAVORITE if favorite else slot, topic=about, value=value)


def _spelled(subject: str, slot: Slot, spelled: str, said: str) -> Claim:
    """Parses the equivalent phrase: "is called Ana"."""
    predicate = _predicate(spelled.format(said))
    found = claim_of(subject, predicate) if predicate is not None else None
    is_found = found is not None and found.slot is not Slot.BEING
    return found if found is not None and is_found else Claim(subject=subject, slot=slot, value=said)


# ── whole sentences ──────────────────────────────────────────────────────────────────────────────

_USER = re.compile(r"(?:the )?user(?P<of>'s)? (?P<rest>.+)", re.IGNORECASE)
_NAMED = re.compile(r"(?P<name>[A-Z][\w-]{0,40}(?: [A-Z][\w-]{0,40}){0,2}?)(?P<of>'s)? (?P<rest>.+)")
# More than one sentence or predicate: no single claim covers it.
_MORE = re.compile(
    r"[.!?;] |(?<!jobs)(?<!job)(?<!career)(?<!careers)(?:,|,? and|,? but) (?:also |now |then |still )?"
    r"(?:lives?|works?|has|is|was|likes?|loves?|enjoys?|hates?|wants?|plans?|speaks?|studies|moved|"
    r"quit|does|can|will|used to)\b",
    re.IGNORECASE,
)
_BEFORE_KIN = BEFORE_PERSONS | frozenset(CARDINALS)
_BETWEEN = {("'s",), (",",)}
_DIED = re.compile(r"(?:has )?(?:recently )?(?:died|passed away|is dead|was put (?:down|to sleep)|(?:ran|flew) away)\b")
_IS = re.compile(
    r"(?P<t>[\w' -]{1,60}?) (?P<p>(?:is|are|was|were|isn't|has been|(?:has )?changed to)(?: .+))", re.IGNORECASE
)


def claimed(content: str, claim: Claim | None, said_at: datetime) -> Claim | None:
    """The claim of a statement: given by its maker, or else parsed from its words; with the start date, if it names
    one."""
    is_known = claim is not None and (claim.slot is not None or bool(claim.value))
    known = claim if is_known else _completed(parsed(content), claim)
    if known is None or known.since is not None:
        return known
    return replace(known, since=since_of(known, content, said_at))


def _completed(found: Claim | None, claim: Claim | None) -> Claim | None:
    """The maker's values win over the parsed ones."""
    if found is None or claim is None:
        return found or claim
    time = found.time if claim.time is Tense.NOW else claim.time
    return replace(found, time=time, since=claim.since, until=claim.until, quote=claim.quote)


@lru_cache(_KEPT)
def parsed(content: str) -> Claim | None:
    """The claim in a typed or imported sentence."""
    if len(content) > 2 * _MOST_CHARS:
        return None
    text = " ".join(content.split()).replace("’", "'").rstrip(".! ")
    for said, plain in spellings("typed"):
        text = said.sub(plain, text)
    if not text or len(text) > _MOST_CHARS or _MORE.search(text):
        return None
    if found := _USER.fullmatch(text):
        return _sentence(USER, bool(found["of"]), found["rest"])
    named = _NAMED.fullmatch(text)
    if named is None or named["name"].split()[0].lower() in NOT_NAMES:
        return None
    return _sentence(named["name"], bool(named["of"]), named["rest"])


def _sentence(subject: str, is_owner: bool, rest: str) -> Claim | None:
    if is_owner:
        return _owned(subject, rest)
    if rest.startswith("and "):
        return None
    predicate = _predicate(rest)
    return claim_of(subject, predicate) if predicate is not None else None


def _predicate(text: str) -> Predicate | None:
    return predicate_of(tokens_of(text))


def _owned(subject: str, rest: str) -> Claim | None:
    """A relative or a pet first, otherwise another possession."""
    tokens = tokens_of(f"my {rest}")
    kin = kin_at(tokens, 0)
    if kin is not None and _BEFORE_KIN.issuperset(kin.kind.split()[: -1 if kin_slot(kin.noun) is not Slot.PET else -2]):
        return _close(subject, kin, tokens[kin.end + (lows(tokens[kin.end : kin.end + 1]) in _BETWEEN) :])
    found = _IS.fullmatch(rest)
    predicate = _predicate(found["p"].removeprefix("has ")) if found else None
    return owned_claim(subject, found["t"], predicate) if found and predicate is not None else None


def _close(subject: str, kin: Kin, behind: Sequence[ClauseToken]) -> Claim | None:
    words = lows(behind)
    slot = kin_slot(kin.noun)
    if slot is not Slot.FAMILY and _DIED.match(" ".join(words)):
        return ended_claim(kin.kind, kin.name, subject)
    is_called = words[:2] in {("is", "named"), ("is", "called"), ("are", "named"), ("name", "is"), ("names", "are")}
    called = behind[2:] if is_called else behind[1:2] if words[:1] == ("is",) and len(behind) == 2 else ()
    if called and (is_called or called[0].is_capital):
        return Claim(subject=subject, slot=slot, topic=kin.noun, value=shown(called))
    predicate = predicate_of(behind)
    return claim_of(subject_named(kin.kind, kin.name, subject), predicate) if predicate is not None else None
