"""Likes and dislikes, in whatever words: "I love", "can't stand", "I'm a fan of", "… is my favorite"."""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language.clauses import Read, Token, lows
from everlore.language.lists import listed
from everlore.language.words import OF_THE_TALK, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import cut, is_soon, is_telling, items, shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import STATED, Said, Tense

TASTES = listed("tastes.verbs")
_TENSES = frozenset({Tense.PRESENT, Tense.USED})
_NOT_A_TASTE = listed("tastes.none")
_NO_THING = OF_THE_TALK | listed("tastes.no_thing")
_FINITE = listed("verbs.behind_a_taste")
_MOST = 12


@rule
def stated(said: Said) -> list[Candidate]:
    if said.verb in TASTES and (said.tense in _TENSES or _is_lifelong(said)):
        return [each for held in _objects(said) for each in _tasted(said, held)]
    if said.verb in {"stand", "bear", "abide", "tolerate"} and said.tense is Tense.CAN and said.is_denied:
        return _tasted(said, value(said.rest))
    return _fan(said) if said.verb == "be" else []


def _is_lifelong(said: Said) -> bool:
    """ "I've always loved trains", "I've never liked mushrooms"."""
    return said.tense is Tense.PERFECT and (said.often == "always" or said.is_never)


# After these, "and" joins what hangs on them: "books about growth and mindset" are one taste.
_BINDING = words("about of by without into such making")
# Of somebody whom the talk is about, and of nobody of the user's.
_THEIRS = words("his her its")
_EXCEPTING = words("not except unless besides than")


def _objects(said: Said) -> list[tuple[Token, ...]]:
    rest = said.rest
    if said.verb == "prefer" or said.next in _NOT_A_TASTE | _THEIRS | {"to"} or not _BINDING.isdisjoint(lows(rest[1:])):
        return [cut(rest)]
    end = next((place for place, token in enumerate(rest) if place and token.low in _EXCEPTING), len(rest))
    return items(rest[:end])


_POINTED = words("it this these those")
_VAGUE_DOING = _NOT_A_TASTE | words("be have get do know make")


@rule
def _tasted(said: Said, held: Sequence[Token]) -> list[Candidate]:
    if not held or len(held) > _MOST or not is_telling(held) or is_soon(held):
        return []
    low = lows(held)
    is_vague = low[0] in _NOT_A_TASTE and low[1:2] not in {("kinds",), ("types",), ("sorts",)}
    is_vague = is_vague or (low[0] == "to" and low[1] in _VAGUE_DOING and len(low) == 2)
    if is_vague or (len(low) == 1 and low[0] in _NO_THING) or low in {("my", "life"), ("the", "stuff")}:
        return []
    if not _POINTED.isdisjoint(low) or low[0] in {"every", "each", "such"} or low[-1] == "of":
        return []
    if (said.is_user and low[0] in _THEIRS) or "that" in low[1:3] or not _FINITE.isdisjoint(low[1:]):
        return []
    return said.tells(held, Category.PREFERENCE, "Says what they like or dislike.")


_DEGREES = listed("tastes.degrees")


@rule
def _fan(said: Said) -> list[Candidate]:
    """ "I'm a big fan of jazz", "I'm not a fan of olives", "I'm a cat lover", "I'm a sucker for bad films"."""
    low = lows(said.rest)
    at = next((place for place, word in enumerate(low[:6]) if word in {"fan", "lover", "sucker"}), 0)
    if said.tense is not Tense.PRESENT or not at or low[0] not in {"a", "an", "huge", "big", "the", "such"}:
        return []
    if low[at + 1 : at + 2] in {("of",), ("for",)}:
        held = value(said.rest[at + 2 :], comma=False)
        text = f"{shown(said.rest[: at + 2])} {shown(held)}"
        return said.tells(text, Category.PREFERENCE, "Says what they are a fan of.") if held else []
    held = cut(said.rest[: at + 1])
    is_named = at > 1 and low[at - 1] not in _DEGREES and is_telling(held)
    return said.tells(held, Category.PREFERENCE, "Says what they are a fan of.") if is_named else []


_BEFORE_MY = listed("tastes.before_my")
_PASSIONS = words("passion hobby obsession weakness language tongue")
_MOST_OF_KIND = 5


def _last_of(subject: Sequence[Token]) -> Sequence[Token]:
    """ "Soup tonight, figs are my favorite fruit": what stands before the comma is another matter."""
    at = max((place for place, token in enumerate(subject) if token.low == ","), default=-1)
    return subject if "and" in lows(subject[at + 1 :]) else subject[at + 1 :]


@rule
def inverted(read: Read) -> list[Candidate]:
    """ "Blue is my favorite color", "hiking is my passion"."""
    low = lows(read.predicate)
    at = low.index("my") if "my" in low[:5] else 0
    if not at or low[0] not in {"is", "are"} or not _BEFORE_MY.issuperset(low[:at]):
        return []
    end = next((place for place, word in enumerate(low) if place > at and word in {"and", "or", "but"}), len(low))
    kind, held = cut(read.predicate[at + 1 : end]), cut(_last_of(read.subject), comma=False)
    is_kind = 0 < len(kind) <= _MOST_OF_KIND and (
        not {"favorite", "favorites"}.isdisjoint(lows(kind)) or kind[-1].low in _PASSIONS
    )
    if not is_kind or not is_telling(held) or held[0].low in {"my", "there", "what"} | OF_THE_TALK:
        return []
    what = "favorite" if kind[-1].low == "favorites" and "of" not in low[:at] else shown(kind)
    be = "are" if low[0] == "are" and kind[-1].low.endswith("s") and what != "favorite" else "is"
    content = f"User's {what} {'include' if 'of' in low[:at] else be} {shown(held)}"
    category = Category.SKILL if kind[-1].low in {"language", "tongue"} else Category.PREFERENCE
    return [Candidate(content=content, category=category, confidence=STATED, reasoning="Says what theirs is.")]
