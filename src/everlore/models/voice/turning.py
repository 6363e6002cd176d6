"""Turns who is spoken of: "I teach" into "you teach", "User lives" into "You live", "Nova is" into "I am".

Only what can be turned safely is turned; for anything else the answer is None, and the caller quotes.
"""

import re
from collections.abc import Collection, Iterator

from everlore.models.voice.phrases import ADVERBS, IRREGULAR, PLURAL_PEOPLE, STARTERS, VERBS
from everlore.models.voice.plain import without_end

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|\W")

_TURNED = {
    "i": "you",
    "i'm": "you are",
    "im": "you are",
    "i've": "you have",
    "ive": "you have",
    "i'd": "you'd",
    "i'll": "you will",
    "am": "are",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
}
_FIRST = frozenset({"i", "i'm", "im", "i've", "ive", "i'd", "i'll"})
# Who else is meant by these cannot be told from one sentence.
_UNCLEAR = frozenset(
    "you your yours yourself you're you've you'll you'd we us our ours ourselves we're we've we'll let's".split()
)
_OTHERS = frozenset("he she it they who which that my his her their there".split())
_PAST = {"was": "were", "wasn't": "weren't"}
_LINKS = frozenset({"and", "but", ","})
_CLAUSES = frozenset({"who", "which", "that", "whose", "because", "while", "when", "where", "if"})
_THIRD = frozenset("he she they him her his hers them their theirs it its himself herself themselves".split())
_MINE = {"are": "am", "were": "was", "aren't": "am not", "weren't": "wasn't"}
_ENGLISH = frozenset(
    "i'm i've i'd i'll im ive my the is are was were has have had and of it with she he they this that does "
    "did not for because".split()
)
_QUOTES = ('"', "“", "”", "«", "„")


# ── what the user said ───────────────────────────────────────────────────────────────────────────


def to_you(sentence: str) -> str | None:
    """A clause of the user's as one about the user: "I'm a nurse." is "you are a nurse"."""
    tokens = _TOKEN.findall(without_end(sentence))
    words = [_low(token) for token in tokens]
    is_order = words[:1] != [] and words[0] in VERBS
    is_unclear = bool(_UNCLEAR & set(words)) or any(quote in sentence for quote in _QUOTES)
    if is_order or is_unclear or not _is_english(tokens, words):
        return None
    return _small_start("".join(_turned(tokens, words)), tokens)


def _is_english(tokens: list[str], words: list[str]) -> bool:
    """Other languages have an "i" and a "me" too: one word that is only English must be there."""
    return words[:1] == ["i"] or "I" in tokens or not _ENGLISH.isdisjoint(words)


def _turned(tokens: list[str], words: list[str]) -> Iterator[str]:
    speaks_of_self = False
    before = ""
    for token, word in zip(tokens, words, strict=True):
        if word in _PAST and speaks_of_self and before in _FIRST | _LINKS:
            yield _PAST[word]
        else:
            yield _TURNED.get(word, token)
        if word in _FIRST:
            speaks_of_self = True
        elif word in _OTHERS:
            speaks_of_self = False
        if word.strip() and word not in ADVERBS:
            before = word


def _small_start(clause: str, tokens: list[str]) -> str:
    """A clause goes on inside a sentence: only a name keeps its capital."""
    first = _low(tokens[0]) if tokens else ""
    return clause[:1].lower() + clause[1:] if first in _TURNED or first in STARTERS else clause


# ── what is remembered of the user ───────────────────────────────────────────────────────────────


def memory_to_you(statement: str, names: Collection[str] = ()) -> str | None:
    """A memory as said to the user: "User's cat is Miso." is "Your cat is Miso". None if it is not of the user."""
    called = _called(names)
    turned = ""
    at = 0
    for found in called.finditer(statement):
        turned += statement[at : found.start()] + _you(found)
        at = found.end()
        if not found["own"]:
            verb, at = _verb_after(statement, at, is_subject=found.start() == 0)
            turned += verb
    first = called.match(statement)
    is_subject = first is not None and not first["own"]
    rest = _same_subject(statement[at:]) if is_subject else statement[at:]
    return without_end(turned + rest) if at else None


def _called(names: Collection[str]) -> re.Pattern[str]:
    """How the user is called. In small letters only after "the": "user interfaces" are none. By name only as the
    subject: in "User's name is Anna" the name is what is told."""
    subjects = "|".join(["[Tt]he user", "[Uu]ser", *(re.escape(name) for name in sorted(names, key=len, reverse=True))])
    return re.compile(rf"(?:\A(?:{subjects})|\bthe user|\bUser)(?P<own>['’]s?)?(?!\w)")


def _you(found: re.Match[str]) -> str:
    you = "your" if found["own"] else "you"
    return you if found.start() else you.capitalize()


def _verb_after(text: str, at: int, *, is_subject: bool) -> tuple[str, int]:
    """The verb behind a subject in its form for "you", with what stands before it, and where it ends."""
    passed = at
    for found in _TOKEN.finditer(text, at):
        word = _low(found.group())
        if not word.strip() or word in ADVERBS or (word.endswith("ly") and len(word) > 4):
            passed = found.end()
            continue
        verb = _for_you(word) if is_subject or _is_verb(word) else None
        return (text[at:passed] + verb, found.end()) if verb else ("", at)
    return "", at


def _is_verb(word: str) -> bool:
    return word in IRREGULAR or (word.endswith("s") and _base(word) in VERBS)


def _for_you(word: str) -> str:
    return IRREGULAR.get(word) or _base(word)


def _base(word: str) -> str:
    if not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes", "zzes", "oes")) else word[:-1]


def _same_subject(rest: str) -> str:
    """Further verbs and possessives of the same subject, up to where another clause begins."""
    tokens = _TOKEN.findall(rest)
    theirs = not PLURAL_PEOPLE & {_low(token) for token in tokens}
    before, is_open = "", True
    for place, token in enumerate(tokens):
        word = _low(token)
        is_open = is_open and word not in _CLAUSES
        if is_open and before in _LINKS and _is_verb(word):
            tokens[place] = _for_you(word)
        elif theirs and word in ("their", "themselves", "themself"):
            tokens[place] = "your" if word == "their" else "yourself"
        if word.strip() and word not in ADVERBS:
            before = word
    return "".join(tokens)


# ── what is written of the character ─────────────────────────────────────────────────────────────


def card_to_i(sentence: str, name: str) -> str | None:
    """A sentence of a card as the character would say it, or None."""
    sentence = without_end(sentence)
    if sentence.startswith(("I ", "I'm ", "I’m ", "My ")):
        return sentence
    start = _subject_end(sentence, name)
    rest = sentence[start:]
    if not start or not _is_of_one(rest, name, is_you=sentence.startswith("You ")):
        return None
    verb, end = _verb_after(rest, 0, is_subject=True)
    before, _, last = verb.rpartition(" ")
    mine = f"I{before} {_MINE.get(last, last)}{_same_subject(rest[end:])}"
    return re.sub(r"\byour\b", "my", mine) if verb else None


def _is_of_one(rest: str, name: str, *, is_you: bool) -> bool:
    """Whether nobody else, and the character itself only once, is spoken of."""
    words = {_low(token) for token in _TOKEN.findall(rest)}
    if any(quote in rest for quote in _QUOTES):
        return False
    if is_you:
        return not ((_THIRD | _UNCLEAR) - {"your"}) & words
    return not (_THIRD | _UNCLEAR) & words and name.split()[0].lower() not in words


def _subject_end(sentence: str, name: str) -> int:
    """Where the subject ends, if the sentence begins with the character; else 0."""
    subjects = (name, name.split()[0], "You", "She", "He", "They")
    return next((len(subject) for subject in subjects if sentence.startswith(subject + " ")), 0)


def _low(token: str) -> str:
    return token.lower().replace("’", "'")
