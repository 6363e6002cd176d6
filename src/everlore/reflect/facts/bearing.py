"""Whether a clause says of its subject what a fact says, where the same words alone would not tell.

"I met a teacher" has the words of "User is a teacher" and "I saw a dog" those of "User has a dog". So of what somebody
is, has, is called or how old they are, the words must stand in the right place. And not every word of a clause
is about its subject: those about "you", or about a sister who is mentioned, are not looked at.

Start at `bears`; `visible` says which words count.
"""

from collections.abc import Sequence
from itertools import pairwise

from everlore.reflect.clauses import Token, Whose, lows
from everlore.reflect.clauses.words import ADVERBS, THIRD_PERSON_VERBS
from everlore.reflect.facts.claims import Claim, Relation, figures_in
from everlore.reflect.facts.evidence import Ground
from everlore.reflect.facts.vocabulary import BEING, HAVING, LIKING, PEOPLE, SELVES, means, stem_of

_STOPS = frozenset(
    "in at on of for from with to by about near around into through since during my your his her their its our i you "
    "he she they we it who that which because so if when where while me him them us not am is are was were be been do "
    "does did have has had will would can could should".split()
)
_NAMING = frozenset({"am", "is", "be", "me", "called", "named", "name", "by", "'s", "as", "was", "nickname"})
_ORIGINS = frozenset("from born grew raised native hometown originally hail hails".split())
_AGING = frozenset(
    {"am", "is", "be", "turned", "turning", "turn", "aged", "age", "just", "already", "only", "'s", "now", "was"}
)
_ENDING = frozenset(
    "and but or so , . ; ! ( ) - from years year years-old months yo now today in on next this as with".split()
)
_GONE = frozenset("died left passed divorced lost buried".split())
_PLACING = frozenset({"in", "at", "from", "near"})
_TELLING = frozenset("told tell said say heard read learned know knew".split())
_VERBS = THIRD_PERSON_VERBS - ADVERBS
_KIN = frozenset("son daughter child kid kids children sons daughters brother sister brothers sisters twins".split())
_GIVING = _NAMING | {",", "and", "(", "or", "&", ":", "-", "who"}
_LINKING = frozenset("who that is are was were aged turned just , now".split())
_CALLING = frozenset({",", "hey", "hi", "hello", "you", "thanks"})
_SPEAKING_OF_YOU = frozenset({"you", "your", "yours", "yourself"})
_SECOND = frozenset("in at on of for from with to by about , . ! and but or so because who when if".split())
_REACH = 14
# "Chocolate is my weakness": what somebody is or has may come first.
_INVERTED = frozenset((verb, whose) for verb in ("is", "are") for whose in ("my", "our"))
_OWNING = frozenset({"my", "our"})
_JOINS = frozenset({"and", "but", ",", "while", "so"})


def is_named(name: str, words: frozenset[str] | set[str]) -> bool:
    """Also in the plural or with another ending that a name may take."""
    return name in words or (len(name) > 3 and (name + "s" in words or name.removesuffix("s") in words))


def bears(claim: Claim, ground: Ground, tokens: Sequence[Token], literal: set[str]) -> str:
    """Why it does not, or nothing. `literal`: the key words that were said as they are."""
    words = lows(tokens)
    if not all(_is_called(words, name, _callings(claim)) for name in _callings(claim)):
        return "nobody was called so"
    if claim.relation is Relation.NAME:
        return "" if all(_is_introduced(words, name, claim) for name in claim.names) else "nobody was called so"
    if claim.relation is Relation.AGED:
        is_answer = ground.is_fragment and not {"old", "age"}.isdisjoint(ground.before)
        is_told = is_answer or all(tells_age(words, number) for number in claim.numbers)
        return "" if is_told else "no such age was stated"
    if claim.relation is Relation.FROM:
        return "" if not _ORIGINS.isdisjoint({*words, *ground.before}) else "no origin was stated"
    if claim.relation is Relation.IS:
        return _is_what(claim, ground, words, literal)
    if claim.relation is Relation.HAS:
        return _has_what(claim, ground, words, literal)
    if claim.relation is Relation.LIKES:
        return _likes_what(claim, ground, words)
    return "" if claim.keys else _stands_alike(claim, words)


# ── which words count ────────────────────────────────────────────────────────────────────────────


def visible(claim: Claim, ground: Ground, assistants: frozenset[str]) -> list[Token]:
    tokens = _without_you([*ground.tokens, *ground.beside])
    tokens = _without_callings(tokens, assistants)
    if claim.owners:
        return _from_mention(tokens, claim) if ground.whose is Whose.SELF else _until_another(tokens, claim)
    return tokens if ground.whose is Whose.OWN else _without_others(tokens)


def _without_you(tokens: Sequence[Token]) -> list[Token]:
    """ "I love your voice", "I think you are kind": what is said of the assistant is nothing of the user."""
    kept: list[Token] = []
    hiding = False
    for place, token in enumerate(tokens):
        if token.low in SELVES or (hiding and token.low in {",", "and", "but", "because", "so", ".", ";"}):
            hiding = False
        if token.low in _SPEAKING_OF_YOU:
            after = tokens[place + 1].low if place + 1 < len(tokens) else ""
            hiding = after not in _SECOND
        elif not hiding:
            kept.append(token)
    return kept


def _without_callings(tokens: Sequence[Token], assistants: frozenset[str]) -> list[Token]:
    """ "I'm tired, Nova": whoever is called by name is not spoken of. A longer name that holds it is another one."""
    kept: list[Token] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1].low if place else ","
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        is_called = before in _CALLING or after is None or after.low in {",", "!", "."}
        if not (token.low in assistants and is_called and before not in _NAMING | {"in", "to", "from", "at", "my"}):
            kept.append(token)
    return kept


def _without_others(tokens: Sequence[Token]) -> list[Token]:
    """ "I think my sister loves hiking": from somebody else who does something on, until the user comes back."""
    kept: list[Token] = []
    hiding = False
    for place, token in enumerate(tokens):
        if token.low in {"i", "we"}:
            hiding = False
        # How somebody is called belongs to them, and still may be told.
        if not hiding or (token.is_capital and tokens[place - 1].low in PEOPLE):
            kept.append(token)
        if place and ((token.low in PEOPLE and _acts(tokens, place)) or _is_told(tokens, place)):
            hiding = True
    return kept


def _is_told(tokens: Sequence[Token], place: int) -> bool:
    """ "I told my son that lying is bad": what somebody was told is nothing of the user."""
    after = tokens[place + 1].low if place + 1 < len(tokens) else ","
    return (
        tokens[place].low == "that"
        and after not in _SECOND
        and not _TELLING.isdisjoint(lows(tokens[max(0, place - 4) : place]))
    )


def _acts(tokens: Sequence[Token], place: int) -> bool:
    """A verb in the third person follows: "my sister loves", "my sister Emma really loves", "a sister who works"."""
    # "Me and my son enjoy it": the user does so too.
    before = lows(tokens[max(0, place - 3) : place])
    if any(first in SELVES and second == "and" for first, second in pairwise(before)):
        return False
    for token in tokens[place + 1 : place + 4]:
        if (
            token.low == "who"
            or token.low in _VERBS
            or (token.low.endswith("ed") and token.low not in {"named", "called"})
        ):
            return True
        if not (token.is_capital or token.low in PEOPLE or token.low in ADVERBS):
            return False
    return False


def _from_mention(tokens: Sequence[Token], claim: Claim) -> list[Token]:
    """ "I have a sister named Emma": what follows her is hers; what stands before is the user's."""
    for place, token in enumerate(tokens):
        if token.low in PEOPLE and stem_of(token.low) in claim.owners:
            while place and tokens[place - 1].low not in _STOPS:
                place -= 1
            return list(tokens[place:])
    return list(tokens)


def _until_another(tokens: Sequence[Token], claim: Claim) -> list[Token]:
    """ "My mum's Japanese and my dad's from Yorkshire": from "my dad" on it is about him."""
    places = [at for at, token in enumerate(tokens) if token.low in PEOPLE and tokens[at - 1].low in _OWNING]
    mine = [at for at in places if stem_of(tokens[at].low) in claim.owners]
    if not mine or len(places) == len(mine) or tokens[mine[0]].low == tokens[-1].low:
        return list(tokens)
    start = mine[0]
    end = next((at for at in places if at > start and at not in mine and tokens[at - 2].low in _JOINS), len(tokens) + 1)
    is_first = start <= 1 or all(at >= start for at in places)
    return list(tokens[: end - 1] if is_first else tokens[start - 1 : end - 1])


# ── what somebody is, has, is called ─────────────────────────────────────────────────────────────


def _places(words: Sequence[str], wanted: str) -> list[int]:
    return [
        place for place, word in enumerate(words) if any(stem_of(part) == wanted for part in (word, *word.split("-")))
    ]


def _is_introduced(words: Sequence[str], name: str, claim: Claim) -> bool:
    for place in (at for at, word in enumerate(words) if word == name):
        before = place - 1
        while before >= 0 and words[before] in claim.names:
            before -= 1
        after = words[place + 1] if place + 1 < len(words) else ""
        if before < 0 and (after == "here" or len(words) <= 2):
            return True
        if before >= 0 and words[before] in _NAMING:
            return True
    return False


def _callings(claim: Claim) -> frozenset[str]:
    """Names that a fact gives to somebody: "sister Emma", "a sister named Emma"."""
    own = lows(claim.tokens)
    given = next((at for at, word in enumerate(own) if word in {"named", "called"}), len(own))
    after = {word for word in own[given + 1 :] if word in claim.names}
    return claim.named | (frozenset() if claim.relation is Relation.NAME else frozenset(after))


def _is_called(words: Sequence[str], name: str, names: frozenset[str]) -> bool:
    """ "My sister Emma", "two brothers, Tom and Jim", "Emma is my sister"; not "my sister met Emma"."""
    places = [at for at, word in enumerate(words) if word == name]
    return not places or any(
        at == 0
        or words[at - 1] in PEOPLE | _GIVING | names
        or words[at + 1 : at + 2] == (",",)
        or (words[at - 1] in {"the", "with"} and words[at - 2] in _GIVING | {"friends"})
        for at in places
    )


def tells_age(words: Sequence[str], number: str) -> bool:
    return any(_tells_age(words, start, end) for start, end in _spans(words, number))


def _spans(words: Sequence[str], number: str) -> list[tuple[int, int]]:
    """Where the number stands: one word, or two as in "twenty five"."""
    alone = [(at, at + 1) for at, word in enumerate(words) if number in figures_in([word])]
    pairs = [(at, at + 2) for at in range(len(words) - 1) if number in figures_in(words[at : at + 2])]
    return alone or pairs


def _tells_age(words: Sequence[str], start: int, end: int) -> bool:
    before, after = words[start - 1] if start else "", [*words[end : end + 3], ""]
    if words[start].endswith(("-year-old", "-years-old")) or "old" in after or after[0] == "years-old":
        return True
    # "34f", "34m", "34yo", and in two words
    if (words[start][0].isdigit() and words[start].endswith(("f", "m", "yo"))) or after[0] in {"f", "m", "yo"}:
        return True
    if before in {"age", "aged"} or words[max(0, start - 2) : start] == ("in", "my"):
        return True
    if before in {"turned", "turning", "turn"}:
        return after[0] not in {"degrees", "percent", "pages"}
    return before in _AGING and (after[0] == "" or after[0] in _ENDING)


def _is_what(claim: Claim, ground: Ground, words: Sequence[str], literal: set[str]) -> str:
    for head in claim.heads:
        # In another form it is not the same noun: "the divorce" makes somebody divorced.
        places = [at for at, word in enumerate(words) if word in {head, f"{head}s"}] if stem_of(head) in literal else []
        # "My therapist diagnosed me" makes somebody diagnosed.
        is_done = any(words[at + 1 : at + 2] == ("me",) for at in places)
        if places and not is_done and not any(is_predicated(words, at, alone=ground.is_fragment) for at in places):
            return f"nobody was said to be {head!r}"
    return ""


def is_predicated(words: Sequence[str], place: int, *, alone: bool = False) -> bool:
    """Whether the word is what somebody is: "I'm a retired teacher", "as a teacher", and not "at my teacher"."""
    if place + 1 < len(words) and words[place + 1] == "'s":
        return False
    is_listed = False
    for at in range(place - 1, max(-1, place - _REACH), -1):
        word = words[at]
        # "I'm from Leeds and a nurse": behind "and", where the first stands does not matter.
        is_listed = is_listed or word == "and"
        if (is_listed and word in _PLACING) or (word == "of" and words[at - 1] in {"kind", "sort", "bit"}):
            continue
        if word in BEING:
            return not (word == "be" and at and words[at - 1] == "to")
        if word == "to" and at and words[at - 1] in {"promoted", "used"}:
            return words[at - 1] == "promoted"
        if word in _STOPS - {"not"}:
            return False
    # "German to English" is no German.
    is_range = tuple(words[place + 1 : place + 2]) in (("to",), ("into",))
    return (alone and not is_range) or place == 0 or tuple(words[place + 1 : place + 3]) in _INVERTED


def _has_what(claim: Claim, ground: Ground, words: Sequence[str], literal: set[str]) -> str:
    if not _are_counted(claim, words):
        return "that was the number of something else"
    if ground.is_fragment or not literal:
        # "My husband" for "has a partner": whoever is implied was said to be theirs.
        return (
            "" if ground.is_fragment or ground.persons or not HAVING.isdisjoint(words) else "nobody was said to have it"
        )
    places = [at for key in literal for at in _places(words, key)]
    # "PhD", "Corolla": what is had may look like a name.
    places += [at for at, word in enumerate(words) if word in claim.names]
    return "" if any(_is_possessed(words, at) for at in places) else "nobody was said to have it"


def _is_possessed(words: Sequence[str], place: int) -> bool:
    for at in range(place - 1, max(-1, place - _REACH), -1):
        word = words[at]
        if word in HAVING:
            return True
        if word in {"with", "from"} and at and words[at - 1] in {"diagnosed", "suffer", "suffering"}:
            return True
        # "I'm a nurse with two sons"; but not "I'm in love with a girl".
        is_told = words[at + 1] == "no" or bool(figures_in(words[at + 1 : at + 2])) or words[place] in _KIN
        if (
            word == "with"
            and not {"am", "grew"}.isdisjoint(words[:at])
            and is_told
            and words[at - 1] not in {"love", "live", "out", "friends"}
        ):
            return True
        if word in _STOPS - {"of"} or word == "'s" or (stem_of(word) in LIKING and not word.endswith("ly")):
            return False
    return False


def is_gone(claim: Claim, words: Sequence[str]) -> bool:
    """ "My wife left": whoever is spoken of, and nobody who is named after them."""
    for place in (at for key in claim.keys for at in _places(words, key)):
        for at in range(place + 1, len(words)):
            if words[at] in PEOPLE:
                break
            if words[at] in _GONE and words[at + 1 : at + 2] not in (("for",), ("to",)):
                return True
    return not {"ex", "late", "former"}.isdisjoint(words)


def is_presupposed(claim: Claim, words: Sequence[str]) -> bool:
    """Whoever speaks of "my sister" has one, whatever they say of her."""
    keys = [key for key in claim.keys if key not in claim.owners]
    if not all(_is_called(words, name, _callings(claim)) for name in _callings(claim)) or not _are_counted(
        claim, words
    ):
        return False
    return bool(keys) and all(any(_is_owned(words, at) for at in _places(words, key)) for key in keys)


def _are_counted(claim: Claim, words: Sequence[str]) -> bool:
    """ "Two sisters and three dogs" are not three sisters: a number belongs to what stands close behind it, or to
    what "is" or "are" so many."""
    things = {at for key in claim.keys for at in _places(words, key)}
    things = things or {at for key in claim.keys for at, word in enumerate(words) if means(key, stem_of(word))}
    return not things or all(
        any(_belongs(words, start, end, things) for start, end in _spans(words, number))
        for number in claim.numbers - {"1"} - _dated(claim)
    )


def _dated(claim: Claim) -> frozenset[str]:
    """ "a stroke in 2020", "surgery on 14 January": no number of things."""
    own = lows(claim.tokens)
    return frozenset(
        number
        for at, word in enumerate(own)
        if own[at - 1] in _WHEN
        for number in figures_in([word.removesuffix("th")])
    )


_WHEN = frozenset("in on at since until by from for of".split())


def _belongs(words: Sequence[str], start: int, end: int, things: set[int]) -> bool:
    ahead = next((at for at in range(end, min(end + 4, len(words))) if words[at] in {"and", ",", "but"}), end + 4)
    if any(end <= at < ahead for at in things):
        return True
    return any(0 < start - at <= 4 and _LINKING.issuperset(words[at + 1 : start]) for at in things)


def _is_owned(words: Sequence[str], place: int) -> bool:
    for at in range(place - 1, max(-1, place - _REACH), -1):
        if words[at] in _OWNING:
            return True
        if words[at] in _STOPS or words[at] in {"and", ",", "ex", "late", "former", "'s"}:
            return False
    return False


def _likes_what(claim: Claim, ground: Ground, words: Sequence[str]) -> str:
    """ "I prefer tea over coffee" speaks for tea, and against coffee."""
    said = ground.sense.objects_until
    if said is None:
        return ""
    claimed = claim.sense.objects_until
    own = [token.low for token in claim.tokens]
    preferred = own[:claimed] if claimed else own
    behind = {stem_of(word) for word in words[said:]}
    ahead = {stem_of(word) for word in words[:said]}
    turned = [key for key in claim.keys if key in {stem_of(word) for word in preferred} and key in behind - ahead]
    return "the user prefers the other" if turned and claim.sense.sign > 0 else ""


def _stands_alike(claim: Claim, words: Sequence[str]) -> str:
    """A fact of a name and nothing else, as in "User is in Berlin": the word before the name must be the same."""
    own = [token.low for token in claim.tokens]
    for name in claim.names:
        if name not in words or name not in own:
            continue
        before = own[own.index(name) - 1]
        places = [at for at, word in enumerate(words) if word == name and at]
        if places and before not in claim.names and all(words[at - 1] != before for at in places):
            return f"{name!r} was said in another way"
    return ""
