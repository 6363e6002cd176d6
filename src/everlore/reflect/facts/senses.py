"""Whether words speak of liking or disliking, deny something, only wish for it, or say that it is over.

In: the words of a fact or of a clause, in small letters and with contractions taken apart. Out: a `Sense`. Facts and
clauses are read with the same eyes, so that what is overlooked in one is overlooked in the other.

Start at `sense_of`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from everlore.reflect.facts.vocabulary import (
    BLAMING,
    DISLIKING,
    ENDED,
    LIKING,
    PAST_FORMS,
    PRAISING,
    STRIVING,
    WISHES,
    stem_of,
    stems_of,
)

_DENYING = frozenset("not never no nor neither hardly without cannot lacks none nothing nobody".split())
# "I never left", "I'm trying to quit": it goes on.
_NOT_YET = _DENYING | {"to", "almost", "nearly"}
# Between a denial and what it denies stand at most so many words: "not really a big fan".
_REACH = 4
_PRECEDING_MONTH = frozenset("in on last next of until since by this early late mid".split())
# "I feel like a child" compares; "I just like it" does not.
_LIKENING = frozenset("be am is was look looks feel feels just something".split())
_JUST = ["i", "just"]
_BEFORE_GOING = frozenset("am is are was were be not just still also really now 'm 're 's i soon finally maybe".split())
_PREFERRING = stems_of("prefer rather better more")


@dataclass(frozen=True, slots=True)
class Sense:
    """`sign`: liking 1, disliking -1; `is_attitude`: said as such, and not by "great" or "awful" alone.
    `denials` and `wishes` are the places of the words that deny and that wish. `objects_until`: from this word on
    stands what something is preferred to."""

    sign: int = 0
    sign_at: int = 0
    is_attitude: bool = False
    denials: tuple[int, ...] = ()
    wishes: tuple[int, ...] = ()
    striving: bool = False
    ended: bool = False
    objects_until: int | None = None

    @property
    def denied(self) -> bool:
        return bool(self.denials)

    @property
    def wished(self) -> bool:
        return bool(self.wishes)


def sense_of(words: Sequence[str]) -> Sense:
    """Of words in small letters, contractions taken apart."""
    words = list(words)
    signs = [(place, sign) for place, word in enumerate(words) if (sign := _sign(words, place))]
    negators = [place for place in range(len(words)) if _denies(words, place)]
    attitude = next((each for each in signs if _is_attitude(words[each[0]])), signs[0] if signs else None)
    sign, on_attitude = 0, -1
    if attitude:
        near = next((at for at in negators if 0 < attitude[0] - at <= _REACH), -1)
        sign = attitude[1] if near < 0 else -attitude[1]
        # "I don't love it" denies no more than the love; "I don't have a nice flat" denies the flat.
        on_attitude = near if _is_attitude(words[attitude[0]]) else -1
    if (stands := cannot_stand(words)) >= 0:
        sign, on_attitude = -1, stands
    ended = _is_ended(words)
    return Sense(
        sign=sign,
        sign_at=attitude[0] if attitude else max(stands, 0),
        is_attitude=stands >= 0 or (attitude is not None and _is_attitude(words[attitude[0]])),
        denials=() if ended else tuple(at for at in negators if at != on_attitude),
        wishes=tuple(at for at in range(len(words)) if _wishes(words, at)),
        striving=any(stem_of(word) in STRIVING for word in words),
        ended=ended,
        objects_until=_contrast(words),
    )


def _is_attitude(word: str) -> bool:
    return stem_of(word) in LIKING | DISLIKING


def _sign(words: Sequence[str], place: int) -> int:
    word = words[place]
    if word == "like" and _likens(words, place):
        return 0
    if word == "rather" and place and words[place - 1] == "would":
        return 1
    if word == "into" and (not place or words[place - 1] in {"am", "really", "so", "very", "is", "super", "big"}):
        return 1
    if word == "person" and place > 1 and not {"a", "an"}.isdisjoint(words[max(0, place - 3) : place - 1]):
        # "I'm more of a tea person."
        return 1
    if word in {"sick", "tired"} and words[place + 1 : place + 2] == ["of"]:
        return -1
    stem = stem_of(word)
    if stem in LIKING or stem in PRAISING:
        return 1
    return -1 if stem in DISLIKING or stem in BLAMING else 0


def _likens(words: Sequence[str], place: int) -> bool:
    if place == 0:
        return words[1:2] != ["to"]
    return words[place - 1] in _LIKENING and words[max(0, place - 2) : place] != _JUST


def _denies(words: Sequence[str], place: int) -> bool:
    word = words[place]
    if word in {"almost", "nearly"} and place + 1 < len(words):
        # "I almost bought it", and not "almost always".
        return words[place + 1] in PAST_FORMS or words[place + 1].endswith("ed")
    if word not in _DENYING:
        return False
    after = words[place + 1] if place + 1 < len(words) else ""
    if word == "no":
        # "No, I live here" answers; "no longer" ends; "no doubt" affirms.
        return after not in _AFTER_NO
    if word == "not" and after in {"only", "wait", "just", "help", "stop", "sure", "mind"}:
        return False
    return not (word in {"never", "nothing"} and after in {"mind", "miss", "better", "beats"})


_AFTER_NO = frozenset(
    {"", ",", "longer", "doubt", "problem", "wonder", "more", "but", "i", "we", "my", "because", "just"}
)


def cannot_stand(words: Sequence[str]) -> int:
    """ "can't stand", "can not bear": dislike in the form of a denial. Where the denial stands, or -1."""
    for place, word in enumerate(words):
        if (
            word in {"stand", "bear", "tolerate"} or list(words[place : place + 2]) == ["care", "for"]
        ) and "not" in words[max(0, place - 2) : place]:
            return place - 1 - list(reversed(words[max(0, place - 2) : place])).index("not")
    return -1


def _wishes(words: Sequence[str], place: int) -> bool:
    word = words[place]
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if word == "may":
        return before not in _PRECEDING_MONTH and not before[:1].isdigit() and not after[:1].isdigit()
    if word == "going":
        return after == "to" and before in _BEFORE_GOING
    if word == "looking":
        return after in {"to", "forward", "for"}
    if word in {"thinking", "consider", "considering"}:
        return after in {"of", "about"} or word != "thinking"
    if word == "not" and after == "wait":
        return True
    if word == "would" and after in {"rather", "prefer"}:
        return False
    return word in WISHES


def _is_ended(words: Sequence[str]) -> bool:
    pairs = list(pairwise(words))
    if ("no", "longer") in pairs or "any-more" in words or ("any", "more") in pairs or ("gave", "up") in pairs:
        return True
    if any(
        first == "used" and second == "to" and words[at - 1] not in {"am", "is", "get", "got"}
        for at, (first, second) in enumerate(pairs)
    ):
        return True
    # "I stopped smoking" is an end, "I got stopped" is not.
    if any(first == "stopped" and second.endswith("ing") for first, second in pairs):
        return True
    return any(word in ENDED and _NOT_YET.isdisjoint(words[max(0, at - 2) : at]) for at, word in enumerate(words))


def _contrast(words: Sequence[str]) -> int | None:
    """Where what is preferred ends, and what it is preferred to begins."""
    prefers = next((at for at, word in enumerate(words) if stem_of(word) in _PREFERRING), None)
    if prefers is None:
        return None
    for place in range(prefers + 2, len(words)):
        if words[place] in {"over", "than", "instead"} or words[place : place + 2] == ["rather", "than"]:
            return place
        if words[place] == "to" and words[prefers] in {"prefer", "prefers"} and not words[place - 1].endswith("ing"):
            return place
    return None


_PREFERRING = frozenset(stem_of(word) for word in "prefer rather better more".split())
