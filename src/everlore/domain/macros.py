"""Macros in double braces, as character cards use them: {{char}}, {{random:a,b}} (V9).

In: a text, the names, a seed. Out: the text with every known macro replaced. Unknown macros stay as they are. Inserted
text is never expanded again: a user called "{{char}}" keeps that name, and a comma in a name splits no list (S-6). One
pass over the text, whatever it contains (S-8).

Start at `expand`.
"""

import hashlib
import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

# Runs of braces are counted instead of matched in pairs: in "{{{char}}}" the inner two belong together.
_MARK = re.compile(r"\{{2,}|\}{2,}|<(?:char|bot|user)>", re.IGNORECASE)
_DICE = re.compile(r"([0-9]{0,3})d([0-9]{1,9})|([0-9]{1,9})", re.IGNORECASE)
_COMMA = re.compile(r"(?<!\\),")
# Each level copies its text once. Deeper braces are plain text, which keeps the work linear.
_MOST_DEPTH = 16
_MOST_DICE = 20


class _Piece(NamedTuple):
    """A part of a macro. Only text of the card's author can name a macro or split a list."""

    text: str
    written: bool


class _Draw(NamedTuple):
    """The source of randomness: the same at the same place, so that a turn can be reproduced."""

    seed: str
    turn: str

    def among(self, count: int, *place: str) -> int:
        told = "\x1f".join((self.seed, *place)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(told, digest_size=16).digest(), "big") % count


_Pieces = list[_Piece]
_Meaning = Callable[[_Pieces, _Draw, str], str | None]


def expand(text: str, *, char: str, user: str, seed: str, turn: str = "") -> str:
    """Replace the macros of `text`.

    `seed` names what stays the same (a conversation): {{pick}} depends on it and on its own words. `turn` names what
    changes (a message): {{random}} and {{roll}} depend on both, and on their position.
    """
    names = {"char": char, "bot": char, "user": user}
    draw = _Draw(seed, turn)
    frames: list[_Pieces] = [[]]
    at = deeper = 0
    for mark in _MARK.finditer(text):
        frames[-1].append(_Piece(text[at : mark.start()], written=True))
        at, found = mark.end(), mark.group()
        if found[0] == "<":
            frames[-1].append(_Piece(names[found[1:-1].lower()], written=False))
        elif found[0] == "{":
            deeper += _open(frames, found)
        else:
            deeper = _close(frames, found, deeper, partial(_replaced, names=names, draw=draw, place=str(at)))
    frames[-1].append(_Piece(text[at:], written=True))
    return "{{".join(_joined(frame) for frame in frames)


def _open(frames: list[_Pieces], braces: str) -> int:
    """Opens a macro for each pair. Returns how many pairs were too deep."""
    pairs = len(braces) // 2
    room = min(pairs, _MOST_DEPTH + 1 - len(frames))
    frames[-1].append(_Piece("{" * (len(braces) % 2), written=True))
    frames.extend([] for _ in range(room))
    frames[-1].append(_Piece("{{" * (pairs - room), written=True))
    return pairs - room


def _close(frames: list[_Pieces], braces: str, deeper: int, replaced: Callable[[_Pieces], _Piece]) -> int:
    """Closes a macro for each pair. Returns how many pairs that were too deep are still open."""
    pairs = len(braces) // 2
    as_text = min(pairs, deeper)
    frames[-1].append(_Piece("}}" * as_text, written=True))
    ending = min(pairs - as_text, len(frames) - 1)
    for _ in range(ending):
        inside = frames.pop()
        frames[-1].append(replaced(inside))
    frames[-1].append(_Piece(braces[2 * (as_text + ending) :], written=True))
    return deeper - as_text


def _replaced(inside: _Pieces, *, names: dict[str, str], draw: _Draw, place: str) -> _Piece:
    word, rest = _named(inside)
    if word in names and word != "bot" and not _joined(rest):
        return _Piece(names[word], written=False)
    meaning = _MEANINGS.get(word)
    said = meaning(rest, draw, place) if meaning else None
    # Unknown macros stay, and their content must not be parsed as part of the outer one.
    return _Piece(f"{{{{{_joined(inside)}}}}}" if said is None else said, written=False)


def _named(inside: _Pieces) -> tuple[str, _Pieces]:
    """The name of the macro in lower case, and the text after it."""
    first = next((at for at, piece in enumerate(inside) if piece.text.strip() or not piece.written), len(inside))
    if first == len(inside) or not inside[first].written:
        return "", inside
    text = inside[first].text.lstrip()
    if text.startswith("//"):
        return "//", []
    word, colon, rest = text.partition(":")
    if colon:
        return f"{word.strip().lower()}:", [_Piece(rest, written=True), *inside[first + 1 :]]
    return text.strip().lower(), inside[first + 1 :]


def _joined(pieces: _Pieces) -> str:
    return "".join(piece.text for piece in pieces)


def _options(pieces: _Pieces) -> list[str]:
    """Splits {{random:a,b}} or {{random::a::b}}; "\\," is a comma that splits nothing."""
    doubled = pieces[0].text.startswith(":")
    options: list[list[str]] = [[]]
    for at, piece in enumerate(pieces):
        if not piece.written:
            options[-1].append(piece.text)
            continue
        text = piece.text[1:] if doubled and at == 0 else piece.text
        first, *others = text.split("::") if doubled else _COMMA.split(text)
        options[-1].append(first.replace("\\,", ","))
        options.extend([other.replace("\\,", ",")] for other in others)
    return ["".join(option).strip() for option in options]


def _random(pieces: _Pieces, draw: _Draw, place: str) -> str | None:
    options = _options(pieces)
    return options[draw.among(len(options), "random", draw.turn, place, *options)]


def _pick(pieces: _Pieces, draw: _Draw, _place: str) -> str | None:
    options = _options(pieces)
    return options[draw.among(len(options), "pick", *options)]


def _roll(pieces: _Pieces, draw: _Draw, place: str) -> str | None:
    dice = _DICE.fullmatch(_joined(pieces).strip(": "))
    if dice is None:
        return None
    count, sides = int(dice[1] or 1), int(dice[2] or dice[3])
    if not 1 <= count <= _MOST_DICE or sides < 1:
        return None
    return str(sum(draw.among(sides, "roll", draw.turn, place, str(die)) + 1 for die in range(count)))


def _nothing(_pieces: _Pieces, _draw: _Draw, _place: str) -> str | None:
    return ""


def _reverse(pieces: _Pieces, _draw: _Draw, _place: str) -> str | None:
    return _joined(pieces)[::-1]


_MEANINGS: dict[str, _Meaning] = {
    "//": _nothing,
    "comment:": _nothing,
    "hidden_key:": _nothing,
    "random:": _random,
    "pick:": _pick,
    "roll:": _roll,
    "reverse:": _reverse,
}
