"""Likes and dislikes, in whatever words: "I love", "can't stand", "I'm a fan of", "… is my favorite"."""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Read, Token, lows
from everlore.reflect.rules.phrase import cut, is_soon, is_telling, items, shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import STATED, Said, Tense
from everlore.reflect.rules.words import OF_THE_TALK, words

TASTES = words("like love enjoy adore prefer hate dislike despise detest loathe")
_TENSES = frozenset({Tense.PRESENT, Tense.USED})
_NOT_A_TASTE = words(
    "think say add mention point know ask thank see hear believe that when how what where if is are if being-with "
    "someone somebody people-like everyone anything something everything nothing all any no none believe-that imagine "
    "pretend help start begin start apologize talk to-talk try"
)
_IDIOMS = words("life myself lol puns hearing")
_FINITE = words("is are was were has had made did does")
_MOST = 9


@rule
def stated(said: Said) -> list[Candidate]:
    if said.verb in TASTES and (said.tense in _TENSES or _is_lifelong(said)):
        return [each for held in _objects(said) for each in _tasted(said, held)]
    if (
        said.verb in {"stand", "bear", "abide", "tolerate"}
        and said.tense in {Tense.CAN, Tense.PRESENT}
        and said.is_denied
    ):
        return _tasted(said, value(said.rest))
    if said.verb == "care" and said.is_denied and said.next == "for":
        return []
    if said.verb == "be":
        return _fan(said)
    if said.verb in {"love", "like"} and said.tense is Tense.GOING:
        return []
    return _other_words(said)


def _is_lifelong(said: Said) -> bool:
    """ "I've always loved trains", "I've never liked mushrooms"."""
    return said.tense is Tense.PERFECT and (said.often == "always" or said.is_never)


# After these, "and" joins what hangs on them: "books about growth and mindset" are one taste.
_BINDING = words("about of by without into such making")


def _objects(said: Said) -> list[tuple[Token, ...]]:
    rest = said.rest
    if lows(rest[:2]) == ("me", "some"):
        rest = rest[2:]
    if said.next == "to" and len(rest) > 1:
        return [cut(rest, keep_when=False)]
    if said.verb == "prefer" or said.next in _NOT_A_TASTE | _THEIRS or not _BINDING.isdisjoint(lows(rest[1:_MOST])):
        return [cut(rest)]
    end = next(
        (
            place
            for place, token in enumerate(rest)
            if place and token.low in {"not", "except", "unless", "besides", "than"}
        ),
        len(rest),
    )
    return items(rest[:end])


_POINTED = words("it this these those")
# Of somebody whom the talk is about, and of nobody of the user's.
_THEIRS = words("his her its")


@rule
def _tasted(said: Said, held: Sequence[Token]) -> list[Candidate]:
    if not held or len(held) > _MOST + 3 or not is_telling(held) or is_soon(held):
        return []
    first = held[0].low
    second = held[1].low if len(held) > 1 else ""
    if (first in _NOT_A_TASTE and second not in {"kinds", "types", "sorts"}) or (
        first == "to" and (second in _NOT_A_TASTE | {"be", "have", "get", "do", "know", "make"} and _is_empty(held[1:]))
    ):
        return []
    if len(held) == 1 and (
        first in _IDIOMS | OF_THE_TALK
        or (not first.isalpha() and "-" not in first and "'" not in first and not first[0].isalnum())
    ):
        return []
    if any(token.low in _POINTED for token in held) or first in {"every", "each", "such"}:
        return []
    if (said.is_user and first in _THEIRS) or "that" in lows(held[1:3]):
        return []
    if any(token.low in _FINITE for token in held[1:]) or [token.low for token in held] == ["my", "life"]:
        return []
    if (first in {"both", "either", "neither", "most", "the"} and len(held) == 1) or held[-1].low in {"of", "it"}:
        return []
    return said.tells(
        held,
        Category.PREFERENCE,
        f"Says what they {said.verb}." if not said.is_denied else "Says what they do not like.",
    )


def _is_empty(held: Sequence[Token]) -> bool:
    """ "to be honest", "to know", "to say": no liking of anything."""
    if held[0].low in {"be", "have", "get", "do", "make"}:
        return len(held) < 2 or (
            held[1].low in {"honest", "clear", "sure", "fair", "that", "it", "so", "precise", "a", "able", "your"}
            and held[0].low == "be"
        )
    return True


@rule
def _fan(said: Said) -> list[Candidate]:
    """ "I'm a big fan of jazz", "I'm not a fan of olives", "I'm a cat lover"."""
    words_ = lows(said.rest)
    if (
        said.tense is not Tense.PRESENT
        or not words_
        or words_[0] not in {"a", "an", "not", "huge", "big", "the", "such"}
    ):
        return []
    at = next((place for place, word in enumerate(words_[:6]) if word in {"fan", "lover", "sucker"}), None)
    if at is None:
        return []
    if words_[at] == "sucker":
        held = value(said.rest[at + 2 :], comma=False) if words_[at + 1 : at + 2] == ("for",) else ()
        text = f"a sucker for {shown(held)}"
        return said.tells(text, Category.PREFERENCE, "Says what they cannot resist.") if held else []
    if at + 1 < len(words_) and words_[at + 1] == "of":
        held = value(said.rest[at + 2 :], comma=False)
        text = f"{shown(said.rest[: at + 1])} of {shown(held)}"
        return (
            said.tells(text, Category.PREFERENCE, "Says what they are a fan of.") if held and len(held) <= _MOST else []
        )
    held = cut(said.rest[: at + 1])
    is_named = at > 1 and words_[at - 1] not in {"big", "huge", "great", "massive", "real", "true", "your", "such"}
    return (
        said.tells(held, Category.PREFERENCE, "Says what they are a fan of.") if is_named and is_telling(held) else []
    )


_LEANINGS = words(
    "passion fear phobia love weakness obsession thing soft sweet fascination addiction hatred dream aversion"
)


@rule
def _off(said: Said) -> list[Candidate]:
    """ "I've gone off sweet wine", "I can't get enough of tacos"."""
    if said.verb == "go" and said.tense in {Tense.PERFECT, Tense.PAST} and said.next == "off" and len(said.rest) > 1:
        held = value([token for token in said.rest[1:] if token.low not in {"completely", "totally"}])
        is_thing = bool(held) and held[0].low not in {"the", "on", "to", "at", "in", "script", "topic", "grid"}
        return said.tells(held, Category.PREFERENCE, "Says so.", head="no longer likes") if is_thing else []
    if said.verb == "get" and said.tense is Tense.CAN and said.is_denied and said.next == "into":
        held = value(said.rest[1:])
        is_thing = bool(held) and held[0].low not in {"the", "my", "this", "trouble", "that"}
        return said.tells(f"into {shown(held)}", Category.PREFERENCE, "Says so.") if is_thing else []
    if said.verb == "get" and said.tense is Tense.CAN and said.is_denied and lows(said.rest[:2]) == ("enough", "of"):
        held = value(said.rest[2:])
        return said.tells(f"enough of {shown(held)}", Category.PREFERENCE, "Says what they love.") if held else []
    return []


@rule
def _other_words(said: Said) -> list[Candidate]:
    """ "I have a passion for maps", "I have a fear of heights", "I can't live without coffee"."""
    off = _off(said)
    if off:
        return off
    words_ = lows(said.rest)
    if said.verb == "have" and said.tense is Tense.PRESENT and words_[:1] in {("a",), ("an",)}:
        at = next(
            (place for place, word in enumerate(words_[:5]) if word in _LEANINGS),
            None,
        )
        if at is not None and any(word in {"for", "of", "tooth"} for word in words_[at + 1 : at + 3]):
            held = value(said.rest)
            return (
                said.tells(
                    held, Category.PREFERENCE, "Says what they have a weakness for or a fear of.", confidence=0.9
                )
                if held and len(held) <= _MOST
                else []
            )
    if said.verb == "swear" and said.tense is Tense.PRESENT and said.next == "by":
        held = value(said.rest[1:])
        return said.tells(f"by {shown(held)}", Category.PREFERENCE, "Says what they swear by.") if held else []
    is_need = said.verb in {"live", "function", "survive", "cope"} and said.next == "without"
    if is_need and said.tense is Tense.CAN and said.is_denied:
        held = value(said.rest[1:])
        return (
            said.tells(
                f"without {shown(held)}", Category.PREFERENCE, "Says what they cannot live without.", confidence=0.85
            )
            if held
            else []
        )
    if said.verb == "root" and said.next == "for" and said.tense is Tense.PRESENT:
        held = value(said.rest[1:])
        return said.tells(f"for {shown(held)}", Category.PREFERENCE, "Says whom they root for.") if held else []
    return []


_BEFORE_MY = words("is are definitely totally probably always also by far one of absolutely still and")


@rule
def inverted(read: Read) -> list[Candidate]:
    """ "Blue is my favorite color", "hiking is my passion"."""
    words_ = lows(read.predicate)
    if len(words_) < 3 or words_[0] not in {"is", "are"} or "not" in words_[:3]:
        return []
    at = next((place for place, word in enumerate(words_[:5]) if word == "my"), None)
    if at is None or any(word not in _BEFORE_MY for word in words_[:at]):
        return []
    end = next((place for place, word in enumerate(words_) if place > at and word in {"and", "or", "but"}), len(words_))
    kind = cut(read.predicate[at + 1 : end])
    names_kind = [token.low for token in kind]
    held = cut(read.subject, comma=False)
    if (
        not held
        or not is_telling(held)
        or not kind
        or len(kind) > 5
        or held[0].low in {"my", "there", "what"} | OF_THE_TALK
    ):
        return []
    if not {"favorite", "favorites"}.isdisjoint(names_kind):
        return _favored(held, kind, is_one_of="of" in words_[:at])
    if names_kind[-1] in {"passion", "hobby", "obsession", "weakness"} and len(names_kind) <= 3:
        return [
            Candidate(
                content=f"User's {shown(kind)} is {shown(held)}",
                category=Category.PREFERENCE,
                confidence=0.9,
                reasoning="Names a passion.",
            )
        ]
    return []


@rule
def _favored(held: Sequence[Token], kind: Sequence[Token], *, is_one_of: bool) -> list[Candidate]:
    if is_one_of:
        content = f"User's {shown(kind)} include {shown(held)}"
        return [
            Candidate(content=content, category=Category.PREFERENCE, confidence=STATED, reasoning="Names a favorite.")
        ]
    if kind[-1].low in {"favorite", "favorites"}:
        return [
            Candidate(
                content=f"User's favorite is {shown(held)}",
                category=Category.PREFERENCE,
                confidence=0.9,
                reasoning="Names a favorite.",
            )
        ]
    return [
        Candidate(
            content=f"User's {shown(kind)} is {shown(held)}",
            category=Category.PREFERENCE,
            confidence=STATED,
            reasoning="Names a favorite.",
        )
    ]
