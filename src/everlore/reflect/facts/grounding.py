"""Holds a fact against what the user stated (F5). Pure, and the same for every model and for the rules.

In: a candidate and the message it is said to come from. Out: a refusal, or the candidate with a confidence that its
support deserves. A fact is grounded where one clause that the user stated bears it out: its names and numbers, its
key words or words that imply them, the same person, the same "yes" or "no", wished or so, over or still true.

Start at `settled`; `grounded` only says whether it stands.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil

from everlore.domain.reading import Filter, Refusal
from everlore.reflect.candidate import Candidate, Source
from everlore.reflect.clauses import Token, Whose, lows
from everlore.reflect.facts.bearing import bears, is_gone, is_presupposed, visible
from everlore.reflect.facts.claims import Claim, Relation, claims_in, figures_in
from everlore.reflect.facts.evidence import Evidence, Ground, evidence_of
from everlore.reflect.facts.heard import Heard
from everlore.reflect.facts.vocabulary import (
    BACKWARD,
    DISLIKING,
    HABITS,
    LASTING,
    LIKING,
    LONG_AGO,
    PEOPLE,
    SELVES,
    UNDONE_BY,
    means,
    stem_of,
    stems_of,
)

# What is not said in so many words is never more certain than this.
INFERRED = 0.85
_MAJORITY = 2 / 3
_BOUNDARIES = frozenset({"but", "so", "though", "although", "except", "because", "while", "whereas", ";"})
_PERSONAL = frozenset({"you", "he", "she", "who"})
_COPULAS = frozenset({"is", "are", "was", "were", "been", "be"})
_OPINING = frozenset({"finds", "considers", "thinks", "believes", "feels"})
_SIBLINGS = stems_of("brother sister sibling twin")
_STUDENT = stems_of("student")
_LEARNING = stems_of("learn study try explore understand know read visit see travel take play")
_STATES = stems_of("live work own study be have love like reside")


@dataclass(frozen=True, slots=True)
class _Fault:
    """`weight`: how near the clause came; the nearest one says why the fact was refused."""

    filter: Filter
    note: str
    weight: int


@dataclass(frozen=True, slots=True)
class _Support:
    """`is_literal`: in so many words."""

    is_literal: bool


def grounded(candidate: Candidate, source: Source) -> Refusal | None:
    found = settled(candidate, evidence_of(source))
    return found if isinstance(found, Refusal) else None


def settled(candidate: Candidate, evidence: Evidence) -> Candidate | Refusal:
    """The candidate as certain as its support allows, or why it is refused."""
    if not evidence.grounds:
        why = Filter.QUOTED_BACK if evidence.repeats else Filter.NOT_STATED
        return Refusal(candidate.content, why, "the message states nothing of its own")
    if evidence.is_foreign:
        return Refusal(candidate.content, Filter.UNGROUNDED, "the message is in a language that is not read here")
    supports: list[_Support] = []
    for claim in claims_in(candidate.content):
        found = _supported(claim, evidence)
        if isinstance(found, _Fault):
            return Refusal(candidate.content, found.filter, found.note)
        supports.append(found)
    if all(support.is_literal for support in supports):
        return candidate
    return replace(candidate, confidence=min(candidate.confidence, INFERRED))


def _supported(claim: Claim, evidence: Evidence) -> _Support | _Fault:
    if not (claim.keys or claim.names or claim.numbers or claim.named):
        return _Fault(Filter.UNGROUNDED, "it says nothing that could be checked", 0)
    found = [_held_against(claim, ground, evidence) for ground in evidence.grounds]
    supports = [each for each in found if isinstance(each, _Support)]
    if supports:
        return max(supports, key=lambda support: support.is_literal)
    return max((each for each in found if isinstance(each, _Fault)), key=lambda fault: fault.weight)


def _held_against(claim: Claim, ground: Ground, evidence: Evidence) -> _Support | _Fault:
    """Each step asks more than the one before; the further a clause comes, the more its fault tells."""
    is_right_person = _is_about_same(claim, ground)
    tokens = visible(claim, ground, evidence.assistants) if is_right_person else [*ground.tokens, *ground.beside]
    words = Heard(tokens, ground, evidence)
    missing = words.missing_name(claim) or words.missing_number(claim)
    if missing:
        return _Fault(Filter.UNGROUNDED, f"{missing!r} was not said", 0)
    # That the people agree is asked elsewhere.
    keys = tuple(key for key in claim.keys if key not in claim.owners)
    borne = words.borne(keys)
    if not _is_majority(borne):
        lacking = next((key for key, each in zip(keys, borne, strict=True) if each is None), keys[0])
        return _Fault(Filter.UNGROUNDED, f"nothing like {lacking!r} was stated", 1 if any(borne) else 0)
    if _is_named_here(claim, ground):
        return _Support(False)
    if words.only_looked_back and not (ground.is_fragment or claim.relation is Relation.LIKES):
        return _Fault(Filter.UNGROUNDED, "it was said of something else", 0)
    if _is_plainly_had(claim) and is_presupposed(claim, ground.words):
        return _Fault(Filter.UNGROUNDED, "it is over", 2) if is_gone(claim, ground.words) else _Support(True)
    if not is_right_person:
        return _Fault(Filter.WRONG_PERSON, "that was said of somebody else", 3)
    if fault := _first_fault(claim, ground, tokens, borne, keys):
        return _Fault(Filter.UNGROUNDED, fault, 2)
    return _Support(all(borne) and not words.looked_back and not ground.is_fragment and not _is_later(claim, ground))


def _is_named_here(claim: Claim, ground: Ground) -> bool:
    """ "My roommate never cleans. His name is Kevin.": whom the user has, and how they are called."""
    is_naming = ground.subject[1:] == ("name",) and bool(claim.names) and claim.names <= set(ground.words)
    return is_naming and claim.relation is Relation.HAS and bool(claim.keys) and set(claim.keys) <= ground.persons


def _is_majority(borne: Sequence[bool | None]) -> bool:
    """Two thirds, and all of them where none was said as it is: a few hints do not make a fact."""
    held = sum(each is not None for each in borne)
    needed = ceil(_MAJORITY * len(borne) - 1e-9) if any(borne) else len(borne)
    return held >= needed


def _is_plainly_had(claim: Claim) -> bool:
    sense = claim.sense
    return claim.relation is Relation.HAS and not (claim.owners or sense.denied or sense.wished or sense.ended)


def _first_fault(
    claim: Claim, ground: Ground, tokens: Sequence[Token], borne: Sequence[bool | None], keys: Sequence[str]
) -> str:
    core = [stem_of(head) for head in claim.heads] or (keys[:1] if claim.relation is Relation.OTHER else [])
    if lacking := next((key for key, each in zip(keys, borne, strict=True) if each is None and key in core), None):
        return f"nothing like {lacking!r} was stated"
    literal = {key for key, each in zip(keys, borne, strict=True) if each}
    if claim.verb.startswith("work") and _STUDENT.intersection(keys) - literal:
        return "nobody works as a student"
    checks: tuple[Callable[[], str], ...] = (
        lambda: _opposed(claim, ground),
        lambda: _wished(claim, ground),
        lambda: _over(claim, ground, literal),
        lambda: bears(claim, ground, tokens, literal),
    )
    return next((fault for check in checks if (fault := check())), "")


# ── the person ───────────────────────────────────────────────────────────────────────────────────


def _is_about_same(claim: Claim, ground: Ground) -> bool:
    if claim.owners:
        return _is_about_owner(claim, ground)
    if ground.whose is Whose.SELF or ground.is_fragment:
        return True
    if ground.whose is Whose.OWN:
        return (
            (not ground.persons and not _is_of_a_thing(claim, ground))
            or _is_had(claim, ground)
            or _was_done(claim, ground)
        )
    return _is_about_self(claim, ground)


def _is_about_owner(claim: Claim, ground: Ground) -> bool:
    if ground.persons:
        return all(_is_among(owner, ground.persons) for owner in claim.owners)
    if claim.named and not claim.named.isdisjoint(ground.subject):
        return True
    if ground.whose is Whose.OTHER and SELVES.isdisjoint(ground.words):
        return False
    mentioned = frozenset(stem_of(word) for word in ground.words if word in PEOPLE)
    return all(_is_among(owner, mentioned) for owner in claim.owners)


def _is_among(owner: str, people: frozenset[str]) -> bool:
    return owner in people or any(means(owner, each) for each in people)


def _is_of_a_thing(claim: Claim, ground: Ground) -> bool:
    """ "My phone is about to die" says of the user neither that they are about to die nor that they are a phone."""
    if lows(claim.tokens[1:2]) == ("'s",):
        return False
    is_what = claim.relation in (Relation.IS, Relation.NAME) or claim.verb in {"is", "was"}
    return is_what and not _says_of_owner(ground.subject) and claim.relation not in (Relation.LIKES, Relation.AGED)


def _says_of_owner(subject: Sequence[str]) -> bool:
    return not _ATTRIBUTES.isdisjoint(subject)


_ATTRIBUTES = frozenset(
    "job profession occupation career role title position nationality ethnicity religion gender background heritage "
    "sign goal dream plan plans hope ambition wish aim favorite status major degree hobby hobbies diet pronouns "
    "ancestry family roots height weight age birthday name names nickname surname orientation faith pronoun identity "
    "passion passions sexuality race work lifestyle intention hometown home birthplace origin resolution".split()
)


def _was_done(claim: Claim, ground: Ground) -> bool:
    """ "My therapist diagnosed me with ADHD": the user was diagnosed."""
    words = ground.words
    done = {stem_of(word) for word, after in pairwise(words) if after == "me"}
    return claim.verb in {"was", "is", "got", "has"} and bool(done & set(claim.keys[:1]))


def _is_had(claim: Claim, ground: Ground) -> bool:
    """ "My sister lives in Oslo" makes it true that the user has a sister, and that is all it says of the user."""
    keys = [key for key in claim.keys if _is_among(key, ground.persons)]
    return bool(keys) and claim.relation in (Relation.HAS, Relation.IS)


def _is_about_self(claim: Claim, ground: Ground) -> bool:
    """Where the subject is something else: "Hiking is my passion", "They call me John", "That film is great"."""
    words = ground.words
    if claim.relation is Relation.NAME:
        is_call = ("call", "me") in pairwise(words)
        return ((is_call or "you" not in ground.subject) and not SELVES.isdisjoint(words)) or ground.subject in (
            ("it",),
            ("this",),
        )
    is_person = bool(ground.persons) or not _PERSONAL.isdisjoint(ground.subject[:1]) or "you" in words
    if is_person:
        return False
    if not _COPULAS.isdisjoint(words) and (not SELVES.isdisjoint(words) or claim.verb in _OPINING):
        return True
    praises = ground.sense.sign != 0 and not ground.sense.is_attitude
    return claim.relation is Relation.LIKES and praises


# ── yes and no, wish and fact, then and now ──────────────────────────────────────────────────────


def _opposed(claim: Claim, ground: Ground) -> str:
    said, claimed = ground.sense, claim.sense
    if claim.relation is Relation.LIKES and claimed.sign:
        if said.sign == -claimed.sign:
            return "the user said the opposite"
        is_named = _says_any(claim, ground)
        is_wish = said.wished and _is_interest(claim) and any(stem_of(word) in _LEARNING for word in ground.words)
        is_habit = not _is_interest(claim) and not HABITS.isdisjoint(ground.words)
        is_shown = claimed.sign > 0 and is_named and (is_wish or is_habit)
        is_meant = said.sign and (is_named or ground.is_fragment or _points_at(ground.words))
        if claimed.denied and not said.denials:
            return "the user said the opposite"
        return "" if is_meant or is_shown else "no liking of it was stated"
    is_denied = _reaches(said.denials, claim, ground)
    if claimed.denied != is_denied and not (claimed.denied and said.ended):
        return "the user said the opposite"
    if claim.relation is Relation.HAS and claimed.denied and is_presupposed(claim, ground.words):
        return "the user said the opposite"
    dislikes = said.is_attitude and said.sign < 0 <= claimed.sign and said.sign_at < _first_place(claim, ground)
    # "I hate my job at Acme": it is theirs all the same.
    is_own = ground.words[said.sign_at + 1 : said.sign_at + 2] in (("my",), ("our",))
    return "the user said that they do not like it" if dislikes and not is_own else ""


def _says_any(claim: Claim, ground: Ground) -> bool:
    said = {*ground.words, *(stem_of(word) for word in ground.words)}
    return any(key in said or any(means(key, each) for each in said) for key in (*claim.keys, *claim.names))


def _points_at(words: Sequence[str]) -> bool:
    """ "I love it": what is liked stands before, and not what "talking about it" is about."""
    if words[:1] in (("it",), ("mine",), ("that",), ("they",)):
        return True
    return any(stem_of(word) in LIKING | DISLIKING and after in BACKWARD for word, after in pairwise(words))


def _reaches(marks: Sequence[int], claim: Claim, ground: Ground) -> bool:
    """Whether a word that denies or wishes is about what the fact says: "I have two sisters but no kids" denies no
    sisters. What stands before governs all that follows up to a "but"; what stands behind, only up to a comma."""
    words = ground.words
    first = _first_place(claim, ground)
    if first == len(words):
        return bool(marks)
    wanted = {*claim.names, *claim.keys}
    # "… and I haven't started": what is denied may be what the fact says last.
    is_next = any(_is_next(words, mark, wanted) for mark in marks)
    return is_next or any(_governs(words, mark, first, claim) for mark in marks)


def _is_next(words: Sequence[str], mark: int, wanted: set[str]) -> bool:
    after = [word for word in words[mark + 1 : mark + 3] if word not in _BETWEEN]
    return bool(after) and stem_of(after[0]) in wanted


_BETWEEN = frozenset({"been", "had", "really", "even", "a", "an", "any", "the", "yet", "ever"})


def _governs(words: Sequence[str], mark: int, first: int, claim: Claim) -> bool:
    if mark < first:
        # "No boyfriend, happily single": "no" belongs to its noun.
        ends = _BOUNDARIES | {","} if words[mark] == "no" else _BOUNDARIES
        return ends.isdisjoint(words[mark:first])
    if words[mark - 1] == "with" and claim.relation is not Relation.HAS:
        return False
    return (_BOUNDARIES | {",", "and"}).isdisjoint(words[first:mark])


def _first_place(claim: Claim, ground: Ground) -> int:
    """Where the clause begins to speak of what the fact says; behind its end where it never does."""
    wanted = {*claim.names, *claim.keys}
    words = ground.words
    places = (at for at, word in enumerate(words) if not wanted.isdisjoint({word, *map(stem_of, word.split("-"))}))
    return next(places, len(words))


def _wished(claim: Claim, ground: Ground) -> str:
    if _is_interest(claim):
        return ""
    is_wished = _reaches(ground.sense.wishes, claim, ground)
    if claim.sense.wished == is_wished or (claim.sense.wished and ground.sense.striving):
        return ""
    return "it was not stated as a wish" if claim.sense.wished else "it was only wished for or possible"


def _is_interest(claim: Claim) -> bool:
    """Who wants to learn something is interested in it, and who loves it is too."""
    return claim.relation is Relation.LIKES and any(token.low.startswith("interest") for token in claim.tokens)


def _over(claim: Claim, ground: Ground, literal: set[str]) -> str:
    claimed, said = claim.sense, ground.sense
    if claimed.ended or claim.is_past:
        return "" if _may_be_over(claim, ground) else "it was not said to be over"
    is_undone = any(not UNDONE_BY.get(key, frozenset()).isdisjoint(map(stem_of, ground.words)) for key in claim.keys)
    if (said.ended or is_undone) and not claimed.denied:
        return "it is over"
    if not ground.is_past or claimed.wished or claimed.denied:
        return ""
    return "it was so once" if _is_told_as_now(claim, ground, literal) else ""


def _may_be_over(claim: Claim, ground: Ground) -> bool:
    if claim.sense.ended:
        # Who moved somewhere is there now.
        return ground.sense.ended or (ground.is_past and not any(stem_of(word) in LASTING for word in ground.words))
    is_state = stem_of(claim.verb) in _STATES and claim.verb not in {"has", "have"}
    return ground.is_past or ground.sense.ended or not is_state or not {"have", "'ve", "been"}.isdisjoint(ground.words)


def _is_told_as_now(claim: Claim, ground: Ground, literal: set[str]) -> bool:
    words = ground.words
    lasts = any(stem_of(word) in LASTING for word in words) or {"diagnosed", "promoted"} & set(words)
    if lasts or claim.relation in (Relation.LIKES, Relation.FROM):
        return False
    # Who grew up with six brothers has them still.
    if claim.relation is Relation.HAS and set(claim.keys) <= _SIBLINGS and "had" not in words:
        return False
    # Whoever did a degree once was a student then.
    if _STUDENT.intersection(claim.keys):
        return True
    is_long_ago = not LONG_AGO.isdisjoint(words) or any(_is_year(number) for number in figures_in(words))
    # "I taught my class today" makes a teacher; "I worked there" does not make somebody who works there.
    return is_long_ago or claim.relation in (Relation.HAS, Relation.AGED, Relation.NAME) or _says_same(claim, literal)


def _says_same(claim: Claim, literal: set[str]) -> bool:
    core = [stem_of(head) for head in claim.heads] or list(claim.keys[:1])
    return any(each in literal for each in core)


def _is_year(number: str) -> bool:
    return len(number) == 4 and number[:2] in {"19", "20"}


def _is_later(claim: Claim, ground: Ground) -> bool:
    """Said of the past, told of now: inferred."""
    return ground.is_past and not claim.is_past and not claim.sense.ended and claim.relation is not Relation.LIKES
