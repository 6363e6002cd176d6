"""What people say they are: "I'm a nurse at Leeds", "I'm a single mother of two", "I'm a night owl".

A noun counts where it is work or a kind of person. "I'm a mess" and "I'm a wizard" are neither.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Token
from everlore.reflect.rules.phrase import cut, is_telling, trimmed
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.times import is_idiom
from everlore.reflect.rules.words import KINDS, NATIONS, NO_KIND, PETS, STATES_OF, WORKS, words

# ── "I'm a …" ────────────────────────────────────────────────────────────────────────────────────

TENSES = frozenset({Tense.PRESENT, Tense.PAST, Tense.PERFECT})
_JOB_MARKS = words(
    "retired freelance professional licensed certified senior junior lead head part-time full-time self-employed "
    "aspiring amateur registered former hobby struggling published trained qualified chartered"
)
_EDGES = words(
    "from with at in for who and but by of on named called that living working to since studying because turned or "
    "this once about whose where as specializing specialising though so"
)
_ENDINGS = (
    "ologist",
    "iatrist",
    "keeper",
    "maker",
    "smith",
    "grapher",
    "ician",
    "eer",
    "wright",
    "monger",
    "driver",
    "worker",
    "manager",
    "engineer",
    "therapist",
)


@rule
def stated(said: Said) -> list[Candidate]:
    """ "I'm a nurse from Leeds": what stands before the preposition is what they are."""
    if [token.low for token in said.rest[:3]] == ["more", "of", "a"]:
        said = said.turned(rest=said.rest[2:])
    if said.tense not in TENSES or (said.next not in {"a", "an", "the", "one"} and not _is_bare(said)):
        return []
    if said.next == "the" and not _is_the_one(said.rest):
        # "I'm the captain now" is a part that somebody plays.
        return []
    found: list[Candidate] = []
    for chain in filter(None, map(trimmed, _nouns(said.rest))):
        if said.is_denied and chain[-1].low not in WORKS | KINDS:
            continue
        found += _as_noun(said, chain)
    return found


def _is_the_one(rest: Sequence[Token]) -> bool:
    """ "the designer on the team", "the only vet in the valley", "the head of": one among others, and no part."""
    low = [token.low for token in rest[1:7]]
    is_among = not {"of", "at", "for", "on"}.isdisjoint(low) or low[:1] in (["only"], ["youngest"], ["oldest"])
    return is_among and {"now", "this", "that", "world", "universe"}.isdisjoint(low)


def _is_bare(said: Said) -> bool:
    """ "I'm currently unemployed", "I'm CEO of": an article may be missing where the noun is work."""
    return (
        bool(said.rest)
        and any(token.low in WORKS or (said.is_many and _one(token.low) in WORKS | KINDS) for token in said.rest[:3])
        and said.rest[0].low not in {"no", "my", "your", "his", "her", "their", "our"}
    )


def _one(noun: str) -> str:
    return noun[:-3] + "y" if noun.endswith("ies") else noun.removesuffix("s")


def _nouns(rest: Sequence[Token]) -> list[tuple[Token, ...]]:
    """Each "a …" of an enumeration: "a nurse and a mother of three"."""
    chains: list[tuple[Token, ...]] = []
    place = 0
    while place < len(rest):
        if rest[place].low in {"a", "an"} or place == 0:
            end = place + 1
            while (
                end < len(rest)
                and rest[end].low not in {",", "and", "but", "who", "that", "because"}
                and (rest[end].is_word or rest[end].low in {"'s", "-", "/", "'"})
            ):
                end += 1
            chains.append(tuple(rest[place:end]))
            place = end
        else:
            place += 1
            if rest[place - 1].low not in {",", "and"} and chains and rest[place - 1].is_word:
                break
    return chains


def _head(chain: Sequence[Token]) -> int:
    """Where the noun stands: right before the first preposition."""
    end = next((place for place, token in enumerate(chain) if place and token.low in _EDGES), len(chain))
    return end - 1


@rule
def _as_noun(said: Said, chain: Sequence[Token]) -> list[Candidate]:
    at = _head(chain)
    noun = chain[at].low
    kept = _shown_noun(chain, at)
    if not kept or not is_telling(kept) or len(kept) > 12:
        return []
    before = {token.low for token in chain[:at]}
    if (
        noun in NO_KIND
        or is_idiom(chain)
        or (
            before & {"bit", "little", "such", "total", "complete", "real", "bad", "terrible", "good", "great", "hell"}
            and noun not in WORKS | {"fan", "reader", "cook"}
        )
    ):
        return []
    if _is_work(noun, before):
        return said.tells(kept, Category.PERSONAL_INFO, "Says what they do.", confidence=0.95)
    if noun in KINDS or noun.removeprefix("ex-") in KINDS:
        return _as_kind(said, chain, at, kept)
    is_type = (
        said.is_user and len(noun) == 4 and noun[0] in "ie" and noun[1] in "ns" and noun[2] in "tf" and noun[3] in "jp"
    )
    is_breed = not said.is_user and noun in PETS
    return (
        said.tells(kept, Category.PERSONAL_INFO, "Says what kind they are.", confidence=0.9)
        if is_type or is_breed
        else []
    )


def _shown_noun(chain: Sequence[Token], at: int) -> tuple[Token, ...]:
    """With what belongs to it: "at Google", "of three"; where they are from is told elsewhere."""
    after = next((token.low for token in chain[at + 1 : at + 2]), "")
    if after in {"at", "of", "for", "in", "by", "on", "specializing", "specialising", "with"} and not (
        after == "with" and not _is_experience(chain[at + 1 :])
    ):
        return cut(chain, keep_when=True)
    return tuple(chain[: at + 1])


def _is_experience(rest: Sequence[Token]) -> bool:
    return any(token.low in {"experience", "degree", "specialty"} for token in rest)


def _is_work(noun: str, before: set[str]) -> bool:
    one = _one(noun) if noun not in WORKS else noun
    if one in WORKS or one.endswith(_ENDINGS) or one.split("-")[-1] in WORKS:
        return True
    return bool(before & _JOB_MARKS) and one.endswith(("er", "or", "ist", "ian", "ant", "man", "woman"))


_PLAIN_PERSONS = words(
    "person owl bird guy girl man woman boy native survivor citizen enthusiast buff addict junkie eater "
    "drinker female male sleeper riser"
)


_TELLING_SORT = (
    words(
        "night early morning dog cat people private family single trans gay married black tall cancer picky coffee tea "
        "movie history music film heavy fitness outdoors nature religious spiritual introverted shy dual naturalized "
        "wine beach outdoor book messy tidy horse light"
    )
    | NATIONS
    | STATES_OF
)
_FAMILY = words("mom mother dad father parent grandma grandmother grandpa grandfather mum widow widower")


@rule
def _as_kind(said: Said, chain: Sequence[Token], at: int, kept: Sequence[Token]) -> list[Candidate]:
    noun, before = chain[at].low, {token.low for token in chain[:at]}
    if noun in {"fan", "lover"}:
        return []
    if noun in _PLAIN_PERSONS:
        is_told = before & _TELLING_SORT or any("year" in word for word in before)
        is_told = is_told or (noun in {"survivor", "citizen", "native"} and len(kept) > 2)
        reason = "Says what kind of person they are."
        return said.tells(kept, Category.PERSONAL_INFO, reason, confidence=0.9) if is_told else []
    category = Category.RELATIONSHIP if noun in _FAMILY else Category.PERSONAL_INFO
    return said.tells(kept, category, "Says what they are.")
