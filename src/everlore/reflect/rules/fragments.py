"""Who introduces themselves without a verb: "nurse here", "Plumber, Leeds, two vans", "34, dad of three", "only child".

In: a clause without subject and verb. Out: candidates, one for each piece between commas that says what somebody is or
has. A single noun may be anything ("Doctor!"), so it counts only with "here", with a word that makes it one's own
("freelance"), or beside another piece.

Start at `fragments`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from everlore.language.clauses import Read, Token, lows
from everlore.language.clauses.words import AUXILIARIES
from everlore.language.lists import listed, phrases_listed
from everlore.language.words import AILMENTS, KEPT, KINDS, NATIONS, PERSONS, PETS, PLACES, STATES_OF, WORKS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import is_number
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import USER, Said, Tense
from everlore.reflect.rules.telling import told

_MOST_WORDS = 9
_FEW = 3
_OWN_MARKS = listed("traits.own_marks")
_HOLDING = frozenset(phrases_listed("tastes.holds"))
_FANS = words("fan supporter lover enthusiast addict nerd geek")
_PARENTS = listed("people.parents")
_FAMILY = words("kids children siblings brothers sisters sons daughters grandkids grandchildren")
_FEET = frozenset({("foot",), ("ft",), ("feet",)})
_AFTER_WORK = listed("grammar.holding") - {"about"} | {"here"}
_SOFT = listed("grammar.before_a_note")
_TAIL = listed("talk.behind_a_note")
# "Coffee, black": of a thing, rather than of a person.
_COLOURS = words("black white brown")
_YOUNGEST, _OLDEST = 13, 99
_SPANS = frozenset({"years", "months", "weeks", "days"})
_FOR = Token("for", "for", 0, 0)


@rule
def fragments(each: Read) -> list[Candidate]:
    tokens = (*each.front, *each.subject, *each.predicate)
    if not tokens or each.subject:
        return []
    pieces = [piece for piece in _pieces(tokens) if not (_tells_ages(tokens) and is_number(piece[0]) and not piece[1:])]
    saids = [(piece, said) for piece in pieces if (said := _said(each, piece)) is not None]
    if not saids or not _is_sure(pieces, [piece for piece, _ in saids]):
        return []
    return [found for _, said in saids for found in told(said)]


def _tells_ages(tokens: Sequence[Token]) -> bool:
    """ "Three sons, ages 4, 9 and 14": none of these is the user's."""
    return not {"ages", "aged"}.isdisjoint(lows(tokens))


def _is_sure(pieces: Sequence[Sequence[Token]], read: Sequence[Sequence[Token]]) -> bool:
    """Whoever begins with what they are goes on with anything; else most of it must be of the kind."""
    return (_is_own(pieces[0]) and pieces[0] is read[0]) or (len(read) > 1 and len(read) >= len(pieces) / 2)


def _pieces(tokens: Sequence[Token]) -> Iterator[tuple[Token, ...]]:
    piece: list[Token] = []
    for token, after in pairwise((*tokens[:60], None, None)):
        is_name = token is not None and token.low == "and" and after is not None and after.is_capital
        goes_on = is_name and any(each.low in {"named", "called"} for each in piece)
        if token is not None and (goes_on or token.low not in {",", "and", "/", "|", ";", "-", "–", "—"}):
            piece.append(token)
            continue
        if piece:
            yield tuple(piece)
        piece = []


def _is_own(piece: Sequence[Token]) -> bool:
    """Says by itself that it is the user: "here", "lifelong", "dad of three"."""
    words_of = lows(piece)
    is_parent = any(word in _PARENTS and after == "of" for word, after in pairwise(words_of))
    is_span = len(words_of) > _FEW - 1 and words_of[1] in {"years", "months"} and words_of[2] in STATES_OF
    if is_span:
        return True
    is_counted = is_number(piece[0]) or words_of[0] in {"no", "zero"}
    if is_counted and ((len(words_of) == 2 and words_of[1] in _FAMILY) or words_of[1:2] in _FEET):
        return True
    if is_number(piece[0]) and (words_of[1:] == ("years", "old") or words_of[1:3] == ("years", "with")):
        return True
    is_trade = words_of[-2:] in {("by", "trade"), ("by", "day"), ("by", "profession")}
    return is_trade or "here" in words_of[1:4] or words_of[0] in _OWN_MARKS or is_parent


def _said(each: Read, piece: Sequence[Token]) -> Said | None:
    """The piece with the verb that it lacks; None where it is no piece of an introduction."""
    tokens = [token for token in piece if token.low not in _TAIL]
    while tokens and tokens[0].low in _SOFT:
        tokens.pop(0)
    if not tokens or len(tokens) > _MOST_WORDS:
        return None
    if is_number(tokens[0]) or tokens[0].low in {"no", "zero"}:
        return _counted(each, tokens)
    if len(tokens) == _FEW and tokens[0].low in STATES_OF and is_number(tokens[1]) and tokens[2].low in _SPANS:
        # "Sober here, six years": for so long.
        return Said(each, USER, "be", Tense.PERFECT, (tokens[0], _FOR, *tokens[1:]), "been")
    is_denied = tokens[0].low == "not"
    if is_denied:
        tokens.pop(0)
    if not tokens or not _is_being(tokens):
        return None
    return Said(each, USER, "be", Tense.PRESENT, _with_article(tokens), "is", is_denied=is_denied)


def _counted(each: Read, tokens: Sequence[Token]) -> Said | None:
    """ "34", "34 years old", "three kids", "no kids"."""
    first = tokens[0].low
    is_age = first.isdecimal() and _YOUNGEST <= int(first) <= _OLDEST
    if is_age and (len(tokens) == 1 or tokens[1].low in {"years", "years-old", "yrs", "from", "male", "female"}):
        return Said(each, USER, "be", Tense.PRESENT, tuple(tokens), "is")
    if lows(tokens[1:2]) in _FEET:
        return Said(each, USER, "be", Tense.PRESENT, tuple(tokens), "is")
    if len(tokens) > _FEW - 1 and tokens[1].low in _SPANS and tokens[2].low in STATES_OF:
        rest = (tokens[2], _FOR, tokens[0], tokens[1])
        return Said(each, USER, "be", Tense.PERFECT, rest, "been")
    if lows(tokens[1:3]) in {("years", "with"), ("months", "with")} and len(tokens) > _FEW:
        # "11 years with lupus", "30 years with the fire department".
        span = (_FOR, tokens[0], tokens[1])
        is_ill = any(token.low in AILMENTS for token in tokens[3:])
        if is_ill:
            return Said(each, USER, "have", Tense.PERFECT, (*tokens[3:], *span), "had")
        return Said(each, USER, "be", Tense.PERFECT, (*tokens[2:], *span), "been")
    if len(tokens) > 1 and any(token.low in KEPT for token in tokens[1:4]):
        return Said(each, USER, "have", Tense.PRESENT, tuple(tokens), "have")
    return None


def _is_being(tokens: Sequence[Token]) -> bool:
    words_of = lows(tokens)
    if not AUXILIARIES.isdisjoint(words_of[:2]) or words_of[0] in _COLOURS:
        return False
    noun = next((place for place, word in enumerate(words_of) if place and word in _AFTER_WORK), len(words_of)) - 1
    head = words_of[noun]
    if head in _FANS:
        return noun > 0
    if words_of[:2] == ("only", "child") or (words_of[0] in {"based", "from"} and len(words_of) > 1):
        return True
    if words_of[:2] in _HOLDING and len(words_of) > 2:
        return True
    if words_of[0] in STATES_OF | NATIONS and (
        len(words_of) == 1 or words_of[1] in {"in", "by", "since", "with", "for", "of", "to"}
    ):
        return True
    if len(words_of) == 1 and head in {"junior", "senior", "lead", "head"}:
        return False
    is_parent = head in _PARENTS and (words_of[noun + 1 : noun + 2] == ("of",) or words_of[0] in _OWN_MARKS)
    return is_parent or head in WORKS | (KINDS - PLACES) - PERSONS - PETS


def _with_article(tokens: Sequence[Token]) -> tuple[Token, ...]:
    first = tokens[0].low
    if lows(tokens[:2]) in _HOLDING:
        return (Token(first, first, tokens[0].start, tokens[0].end), *tokens[1:])
    if first in {"a", "an", "the", "based", "from"} | STATES_OF | NATIONS and not (
        len(tokens) > 1 and tokens[1].low in WORKS | KINDS
    ):
        return tuple(tokens)
    article = "an" if first[0] in "aeiou" else "a"
    # A sentence's capital is no name's.
    plain = (
        tokens[0] if any(token.is_capital for token in tokens[1:]) and tokens[0].text.isupper() else _small(tokens[0])
    )
    return (Token(article, article, 0, 0), plain, *tokens[1:])


def _small(token: Token) -> Token:
    is_word = token.low in WORKS | KINDS | _OWN_MARKS | _FANS | _PARENTS or "-" in token.low
    return Token(token.low, token.low, token.start, token.end) if is_word else token
