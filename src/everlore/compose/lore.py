"""Selects the entries of lorebooks for a prompt (V18). Pure.

In: lorebooks, the latest messages as lines, and a random seed. Out: the entries that fired, each with its reason. The
rules are those of SillyTavern's World Info and of character cards V2 and V3: keys and secondary keys, constant entries,
scan depth, probability, groups, recursion, sticky, cooldown and delay. The same lines and seed always fire the same
entries, so that a preview shows what a turn will use. Start at `fire` and `within_budget`.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import regex

SCAN_DEPTH = 2
AT_DEPTH = 4
# Untrusted patterns run over untrusted messages, so each match has a time limit (S-8).
_PATTERN_SECONDS = 0.02
_MOST_PATTERN = 1_000
_MOST_SCANNED = 50_000
_MOST_ROUNDS = 10
_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "x": regex.VERBOSE}


class Logic(IntEnum):
    """The secondary keys that are required in addition to a primary one."""

    AND_ANY = 0
    NOT_ALL = 1
    NOT_ANY = 2
    AND_ALL = 3


class Position(StrEnum):
    """The position of an entry: around the character's description, or a number of messages before the end."""

    BEFORE = "before_char"
    AFTER = "after_char"
    AT_DEPTH = "at_depth"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreRule:
    """One entry of a lorebook, with the rules for firing. None: the default of the book.

    `order`: higher ones are placed further down, and are the last to be dropped if the budget is short, after
    `priority`. `excluded_keys` prevent firing. `sticky`, `cooldown` and `delay` are in messages."""

    uid: str
    name: str = ""
    content: str = ""
    keys: tuple[str, ...] = ()
    secondary_keys: tuple[str, ...] = ()
    excluded_keys: tuple[str, ...] = ()
    logic: Logic = Logic.AND_ANY
    is_enabled: bool = True
    is_constant: bool = False
    is_pattern: bool = False
    order: int = 100
    priority: int = 0
    position: Position = Position.BEFORE
    depth: int = AT_DEPTH
    scan_depth: int | None = None
    case_sensitive: bool | None = None
    whole_words: bool | None = None
    probability: int = 100
    groups: tuple[str, ...] = ()
    group_weight: int = 100
    group_override: bool = False
    exclude_recursion: bool = False
    prevent_recursion: bool = False
    delay_until_recursion: bool = False
    sticky: int = 0
    cooldown: int = 0
    delay: int = 0
    ignore_budget: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LorebookRules:
    id: str
    name: str
    entries: tuple[LoreRule, ...] = ()
    scan_depth: int = SCAN_DEPTH
    token_budget: int | None = None
    is_recursive: bool = False
    case_sensitive: bool = False
    whole_words: bool = False


@dataclass(frozen=True, slots=True)
class Fired:
    book: LorebookRules
    entry: LoreRule
    why: str

    @property
    def key(self) -> tuple[str, str]:
        return self.book.id, self.entry.uid


@dataclass(frozen=True, slots=True)
class Unfit:
    """An entry that fired but did not fit."""

    fired: Fired
    why: str


def fire(books: Sequence[LorebookRules], lines: Sequence[str], *, seed: str) -> tuple[Fired, ...]:
    """`lines`: the messages, oldest first, each after its speaker. The result is in the order of the prompt."""
    found: dict[tuple[str, str], Fired] = {}
    refused: set[tuple[str, str]] = set()
    recursed = ""
    for step in range(_MOST_ROUNDS):
        new: list[Fired] = []
        for book in books:
            for entry in book.entries:
                if (book.id, entry.uid) in found or (book.id, entry.uid) in refused:
                    continue
                why = _why(book, entry, lines, recursed, is_recursion=step > 0)
                if why is None:
                    continue
                if _draw(seed, book.id, entry.uid) * 100 >= entry.probability:
                    refused.add((book.id, entry.uid))
                else:
                    new.append(Fired(book, entry, why))
        kept = _one_of_each_group(new, found.values(), seed)
        refused |= {each.key for each in new} - {each.key for each in kept}
        found |= {each.key: each for each in kept}
        more = [each.entry.content for each in kept if each.book.is_recursive and not each.entry.prevent_recursion]
        if not more:
            break
        recursed = "\n".join([recursed, *more])[-_MOST_SCANNED:]
    return tuple(sorted(found.values(), key=lambda each: (each.entry.order, *each.key)))


def within_budget(
    fired: Sequence[Fired], room: int, cost: Callable[[Fired], int]
) -> tuple[tuple[Fired, ...], tuple[Unfit, ...]]:
    """The entries that fit into the room, and into the token budget of their book; the rest with the reason."""
    left, kept, unfit = room, set[tuple[str, str]](), list[Unfit]()
    budgets = {each.book.id: each.book.token_budget for each in fired}
    for each in sorted(fired, key=lambda each: (-each.entry.priority, -each.entry.order, *each.key)):
        tokens, budget = cost(each), budgets[each.book.id]
        of_book = None if each.entry.ignore_budget else budget
        if tokens > left:
            unfit.append(Unfit(each, f"Not enough room: needs {tokens} tokens, {left} of {room} left for lorebooks."))
        elif of_book is not None and tokens > of_book:
            unfit.append(Unfit(each, f"Over the lorebook's token budget: needs {tokens} tokens, {of_book} left."))
        else:
            kept.add(each.key)
            left -= tokens
            if of_book is not None:
                budgets[each.book.id] = of_book - tokens
    return tuple(each for each in fired if each.key in kept), tuple(unfit)


# ── one entry ────────────────────────────────────────────────────────────────────────────────────


def _why(
    book: LorebookRules, entry: LoreRule, lines: Sequence[str], recursed: str, *, is_recursion: bool
) -> str | None:
    """The reason why it fires now; None if it does not."""
    if not entry.is_enabled or not entry.content.strip() or len(lines) < entry.delay:
        return None
    if entry.delay_until_recursion and not is_recursion:
        return None
    if entry.is_constant:
        return "Always included."
    if entry.sticky or entry.cooldown:
        why, may_fire = _timed(book, entry, lines)
        if why is not None or not may_fire:
            return why
    text = _scanned(book, entry, lines)
    if (why := _matched(book, entry, text)) is not None:
        return why
    if not (is_recursion and book.is_recursive and recursed) or entry.exclude_recursion:
        return None
    why = _matched(book, entry, f"{text}\n{recursed}")
    return f"{why[:-1]} in another entry." if why else None


def _scanned(book: LorebookRules, entry: LoreRule, lines: Sequence[str]) -> str:
    depth = book.scan_depth if entry.scan_depth is None else entry.scan_depth
    return "\n".join(lines[len(lines) - min(depth, len(lines)) :])[-_MOST_SCANNED:]


def _timed(book: LorebookRules, entry: LoreRule, lines: Sequence[str]) -> tuple[str | None, bool]:
    """Replays the messages: why an earlier match is still active (sticky), and whether the entry may fire again."""
    sticks_to = rests_to = -1
    for at in range(1, len(lines)):
        if at > rests_to and _matched(book, entry, _scanned(book, entry, lines[:at])) is not None:
            sticks_to = at + entry.sticky
            rests_to = sticks_to + entry.cooldown if entry.cooldown else sticks_to
    if len(lines) <= sticks_to:
        return "Matched a few messages ago (sticky).", False
    return None, len(lines) > rests_to


def _matched(book: LorebookRules, entry: LoreRule, text: str) -> str | None:
    def is_there(key: str) -> bool:
        return _is_in(key, text, book, entry)

    key = next((each for each in entry.keys if is_there(each)), None)
    if key is None or any(map(is_there, entry.excluded_keys)):
        return None
    if not entry.secondary_keys:
        return f"Matched key {key!r}."
    found = [each for each in entry.secondary_keys if is_there(each)]
    is_all = len(found) == len(entry.secondary_keys)
    holds = {
        Logic.AND_ANY: bool(found),
        Logic.NOT_ALL: not is_all,
        Logic.NOT_ANY: not found,
        Logic.AND_ALL: is_all,
    }[entry.logic]
    if not holds:
        return None
    beside = f"with {', '.join(map(repr, found))}" if found else "without secondary keys"
    return f"Matched key {key!r} {beside}."


def _is_in(key: str, text: str, book: LorebookRules, entry: LoreRule) -> bool:
    key = key.strip()
    if not key:
        return False
    case_sensitive = book.case_sensitive if entry.case_sensitive is None else entry.case_sensitive
    if (pattern := _pattern(key, is_pattern=entry.is_pattern, case_sensitive=case_sensitive)) is not None:
        return _finds(*pattern, text)
    key, text = (key, text) if case_sensitive else (key.casefold(), text.casefold())
    whole = book.whole_words if entry.whole_words is None else entry.whole_words
    # A key of several words is searched verbatim, as in SillyTavern.
    return key in text if not whole or " " in key else _has_word(key, text)


def _has_word(word: str, text: str) -> bool:
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(word) : at + len(word) + 1]
        if not (before.isalnum() or after.isalnum()):
            return True
        at = text.find(word, at + 1)
    return False


def _pattern(key: str, *, is_pattern: bool, case_sensitive: bool) -> tuple[str, int] | None:
    """Reads `/lamps?/i`, or any key if the entry says that its keys are regular expressions."""
    found = regex.fullmatch(r"/(.+)/([a-z]{0,8})", key, regex.DOTALL) if key.startswith("/") else None
    if found is not None:
        flags = sum({_FLAGS[each] for each in found[2] if each in _FLAGS})
        return found[1].replace(r"\/", "/"), flags
    return (key, 0 if case_sensitive else regex.IGNORECASE) if is_pattern else None


def _finds(pattern: str, flags: int, text: str) -> bool:
    if len(pattern) > _MOST_PATTERN:
        return False
    try:
        return regex.search(pattern, text, flags, timeout=_PATTERN_SECONDS) is not None
    except (regex.error, TimeoutError, RecursionError, OverflowError):
        return False


# ── randomness ───────────────────────────────────────────────────────────────────────────────────


def _draw(*place: str) -> float:
    """From 0 to 1, always the same for the same arguments."""
    digest = hashlib.blake2b("\x1f".join(place).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def _one_of_each_group(new: Sequence[Fired], before: Iterable[Fired], seed: str) -> list[Fired]:
    """Only one entry of an inclusion group fires: the highest one that overrides, or a random one by weight."""
    taken = {group for each in before for group in each.entry.groups}
    kept = [each for each in new if not taken & set(each.entry.groups)]
    for group in sorted({group for each in kept for group in each.entry.groups}):
        members = [each for each in kept if group in each.entry.groups]
        winner = _winner(members, f"{seed}\x1f{group}")
        kept = [each for each in kept if each is winner or group not in each.entry.groups]
    return kept


def _winner(members: Sequence[Fired], seed: str) -> Fired:
    overriding = [each for each in members if each.entry.group_override]
    if overriding:
        return max(overriding, key=lambda each: (each.entry.order, each.key))
    at = _draw(seed) * sum(max(each.entry.group_weight, 1) for each in members)
    for each in members:
        at -= max(each.entry.group_weight, 1)
        if at < 0:
            return each
    return members[-1]
