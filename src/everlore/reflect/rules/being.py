"""What people say they are: "I'm a nurse at Leeds", "I'm a single mother of two", "I'm a night owl".

A noun counts where it is work or a kind of person. "I'm a mess" and "I'm a wizard" are neither.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed
from everlore.language.words import KINDS, NATIONS, NO_KIND, PETS, STATES_OF, WORKS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import cut, is_telling, trimmed
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.times import is_idiom

TENSES = frozenset({Tense.PRESENT, Tense.PAST, Tense.PERFECT})
_JOB_MARKS = listed("work.marks")
_EDGES = listed("grammar.behind_a_kind")
_ENDINGS = tuple(listed("work.ends"))
_MOST = 12


@rule
def stated(said: Said) -> list[Candidate]:
    """ "I'm a nurse from Leeds": what stands before the preposition is what they are."""
    if lows(said.rest[:3]) == ("more", "of", "a"):
        said = said.turned(rest=said.rest[2:])
    if said.tense not in TENSES or (said.next not in {"a", "an", "the", "one"} and not _is_bare(said)):
        return []
    if said.next == "the" and not _is_the_one(said.rest):
        # "I'm the captain now" is a part that somebody plays.
        return []
    chains = [chain for chain in map(trimmed, _nouns(said.rest)) if chain]
    return [each for chain in chains for each in _as_noun(said, chain)]


def _is_the_one(rest: Sequence[Token]) -> bool:
    """ "the designer on the team", "the only vet in the valley", "the head of": one among others, and no part."""
    low = lows(rest[1:7])
    is_among = not {"of", "at", "for", "on"}.isdisjoint(low) or low[:1] in {("only",), ("youngest",), ("oldest",)}
    return is_among and {"now", "this", "that", "world", "universe"}.isdisjoint(low)


def _is_bare(said: Said) -> bool:
    """ "I'm CEO of", "they're teachers": an article may be missing where the noun is work."""
    is_work = any(token.low in WORKS or (said.is_many and _one(token.low) in WORKS | KINDS) for token in said.rest[:3])
    return is_work and said.next not in {"no", "my", "your", "his", "her", "their", "our"}


def _one(noun: str) -> str:
    return noun[:-3] + "y" if noun.endswith("ies") else noun.removesuffix("s")


_ENDING = words(", and but who that because")


def _nouns(rest: Sequence[Token]) -> list[tuple[Token, ...]]:
    """Each "a …" of an enumeration: "a nurse and a mother of three"."""
    chains: list[list[Token]] = [[]]
    for place, token in enumerate(rest):
        if token.low in {"a", "an"} and place and rest[place - 1].low in {",", "and"}:
            chains.append([])
        chains[-1].append(token)
    ends = [next((at for at, token in enumerate(chain) if _ends(token)), len(chain)) for chain in chains]
    return [tuple(chain[:end]) for chain, end in zip(chains, ends, strict=True)]


def _ends(token: Token) -> bool:
    return token.low in _ENDING or not (token.is_word or token.low in {"'s", "-", "/", "'"})


_WEIGHING = listed("traits.weighing")


@rule
def _as_noun(said: Said, chain: Sequence[Token]) -> list[Candidate]:
    # The noun stands right before the first preposition.
    at = next((place for place, token in enumerate(chain) if place and token.low in _EDGES), len(chain)) - 1
    noun, before = chain[at].low, frozenset(lows(chain[:at]))
    kept = _shown_noun(chain, at)
    if not kept or not is_telling(kept) or len(kept) > _MOST or noun in NO_KIND or is_idiom(chain):
        return []
    if not before.isdisjoint(_WEIGHING) and noun not in WORKS | {"fan", "reader", "cook"}:
        return []
    # "I'm not a quitter", unlike "I'm not a roofer any more".
    is_doubtful = said.is_denied and not said.is_over and noun not in WORKS
    if _is_work(noun, before) and not is_doubtful:
        return said.tells(kept, Category.PERSONAL_INFO, "Says what they do.", confidence=0.95)
    if noun in KINDS or noun.removeprefix("ex-") in KINDS:
        return _as_kind(said, noun, before, kept)
    is_breed = not said.is_user and noun in PETS
    return said.tells(kept, Category.PERSONAL_INFO, "Says what kind they are.", confidence=0.9) if is_breed else []


_OF_IT = listed("grammar.of_it")


def _shown_noun(chain: Sequence[Token], at: int) -> tuple[Token, ...]:
    """With what belongs to it: "at Google", "of three"; where they are from is told elsewhere."""
    is_more = at + 1 < len(chain) and chain[at + 1].low in _OF_IT
    return cut(chain, keep_when=True) if is_more else tuple(chain[: at + 1])


# "boatbuilder", "schoolteacher".
_LONG_WORKS = tuple(work for work in WORKS if len(work) > len("maker"))


def _is_work(noun: str, before: frozenset[str]) -> bool:
    one = _one(noun) if noun not in WORKS else noun
    if one in WORKS or one.endswith(_ENDINGS) or one.split("-")[-1] in WORKS or one.endswith(_LONG_WORKS):
        return True
    return not before.isdisjoint(_JOB_MARKS) and one.endswith(("er", "or", "ist", "ian", "ant", "man", "woman"))


_PLAIN_PERSONS = listed("people.plain")
_TELLING_SORT = listed("traits.telling_sort") | NATIONS | STATES_OF
_FAMILY = listed("people.parents") - {"mama", "papa"} | {"mum", "widow", "widower"}


@rule
def _as_kind(said: Said, noun: str, before: frozenset[str], kept: Sequence[Token]) -> list[Candidate]:
    if noun in {"fan", "lover"}:
        return []
    if noun in _PLAIN_PERSONS:
        is_told = not before.isdisjoint(_TELLING_SORT) or any("year" in word for word in before)
        is_told = is_told or (noun in {"survivor", "citizen", "native"} and len(kept) > 2)
        reason = "Says what kind of person they are."
        return said.tells(kept, Category.PERSONAL_INFO, reason, confidence=0.9) if is_told else []
    category = Category.RELATIONSHIP if noun in _FAMILY else Category.PERSONAL_INFO
    return said.tells(kept, category, "Says what they are.")
