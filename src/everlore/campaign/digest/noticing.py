"""What the sentences of a log say that a table will want to know again, without a model (G3).

A decision, a discovery, a moment, a thread that stays open, something that is so: each is told in the words of the log,
with who said it, and the message it stands in. In English; what is said in other languages is still weighed. Start at
`noticed`.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from everlore.campaign.digest.digest import MOST, DigestItem
from everlore.campaign.digest.signs import sign
from everlore.domain.memory import MemoryType
from everlore.domain.weight import weigh
from everlore.learning.segments.transcript import TranscriptLine, clip
from everlore.learning.segments.vetting import sentences_of

_MOST_CHARS = 320
_MOST_READ = 20_000
_LEAST_WORDS = 4
_MOST_NAMES = 2_000
_ANSWERS = 3
_MARKS = str.maketrans({"*": None, "_": None, "`": None, "“": "'", "”": "'", "„": "'", '"': "'", "#": None})

# Who does something at a table, and a few words between that and what they do.
_SOMEBODY = (
    r"\b(?:i|we|they|you(?: all| both)?|he|she|everyone|"
    r"(?:the )?(?:whole )?(?:party|group|table|players|crew|company|heroes|team)|"
    r"(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)"
    r"(?: (?:all|both|finally|then|now|just|also|together|reluctantly|quickly|have|has|had|will|manage to|can))* "
)
_DECIDED = re.compile(
    r"\b(?:it(?:'s| is)|that(?:'s| is)) (?:settled|decided|a deal)\b|\bthe (?:plan|decision) is\b", re.I
)
_PROPOSES = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|fine|right|then|so),? )?(?:let's|we(?:'ll| will| should| go)|i say we)\b", re.I
)
_ROLLS = re.compile(r"\bnat(?:ural)?[ -]?(?:20|1|twenty|one)\b|\bcrit(?:ical)?s?\b", re.I)
_NOT_SO = re.compile(
    r"^\W*(?:if|when|once|unless|suppose|imagine|what if|should|maybe|perhaps|roll|make an?|give me)\b|\?\W*$", re.I
)
_ASIDE = re.compile(r"^\s*(?:\(\(|\[|//)")


@dataclass(frozen=True, slots=True)
class _Sentence:
    at: int
    line: TranscriptLine
    text: str
    is_told: bool
    weight: int


def noticed(
    lines: Sequence[TranscriptLine], narrators: frozenset[str], names: Collection[str]
) -> tuple[DigestItem, ...]:
    """Of each kind the weightiest, in the order in which they were said. `names`: who and what is known to be named."""
    sentences = list(_sentences(lines, narrators, naming(names)))
    stating = _stating(names)
    found: dict[MemoryType, dict[str, DigestItem]] = {}
    for sentence in sentences:
        kind = _kind(sentence, lines, stating)
        if kind is not None:
            item = DigestItem(kind, _worded(sentence, lines, kind), (sentence.line.message.id,), sentence.weight)
            found.setdefault(kind, {}).setdefault(item.text.casefold(), item)
    return tuple(item for kind, items in found.items() for item in _best(list(items.values()), MOST[kind], kind))


def narrated(line: TranscriptLine, sentence: str, narrators: frozenset[str]) -> str:
    """A sentence as it is told later: what the narrator says as it is, what others say with their names."""
    plain = clip(_unbroken(" ".join(sentence.translate(_MARKS).split())), _MOST_CHARS)
    return plain if line.name in narrators else f"{line.name}: “{plain}”"


def telling(sentence: str, names: re.Pattern[str] | None) -> int:
    """How much a sentence tells of what was played: what was decided or happened in it, and whom it names."""
    named = len({each.casefold() for each in names.findall(sentence)}) if names else 0
    return weigh(sentence) + 2 * min(named, 3) + (2 if sign("happens").search(sentence) else 0)


def naming(names: Collection[str]) -> re.Pattern[str] | None:
    """Finds any of these names."""
    known = sorted({re.escape(name) for name in names if len(name) > 1}, key=len, reverse=True)[:_MOST_NAMES]
    return re.compile(rf"\b(?:{'|'.join(known)})\b", re.IGNORECASE) if known else None


def _unbroken(text: str) -> str:
    """Without the half of a quotation whose other half is in another sentence."""
    if text.startswith("'") and text.count("'") % 2 and not text.endswith("'"):
        return text[1:]
    return text


def is_beside(text: str) -> bool:
    """Table talk: it is about the game and the evening, not about what is played."""
    head = text[:200]
    return _ASIDE.match(head) is not None or sign("beside").search(head) is not None


def _sentences(
    lines: Sequence[TranscriptLine], narrators: frozenset[str], names: re.Pattern[str] | None
) -> Iterator[_Sentence]:
    for at, line in enumerate(lines):
        for sentence in sentences_of(line.text[:_MOST_READ]):
            if sentence.strip() and not (is_beside(sentence) and not _ROLLS.search(sentence)):
                yield _Sentence(at, line, sentence, line.name in narrators, telling(sentence, names))


def _kind(sentence: _Sentence, lines: Sequence[TranscriptLine], stating: re.Pattern[str] | None) -> MemoryType | None:
    text = sentence.text.replace("’", "'")
    if _ROLLS.search(text):
        return MemoryType.MOMENT
    if len(text.split()) < _LEAST_WORDS:
        return None
    if sign("stays open").search(text) and not _NOT_SO.search(text.rstrip("?")):
        return MemoryType.PLOT_THREAD
    if _NOT_SO.search(text):
        return None
    if _is_decided(text) or (_PROPOSES.search(text) and _is_taken_up(sentence, lines)):
        return MemoryType.DECISION_POINT
    if sign("finds", before=_SOMEBODY).search(text) or sign("turns out").search(text):
        return MemoryType.DISCOVERY
    if sign("happens").search(text):
        return MemoryType.MOMENT
    return MemoryType.FACT if sentence.is_told and stating and stating.search(sentence.text) else None


def _is_decided(text: str) -> bool:
    if sign("decides", before=r"(?:\b(?:not|never)|n't) (?:\w+ )?").search(text):
        return False
    return sign("decides", before=_SOMEBODY).search(text) is not None or _DECIDED.search(text) is not None


def _is_taken_up(sentence: _Sentence, lines: Sequence[TranscriptLine]) -> bool:
    """“Let's take the tunnel” is decided when somebody else says yes to it."""
    after = lines[sentence.at + 1 : sentence.at + 1 + _ANSWERS]
    consents = sign("consents", before=r"^\W*")
    return any(each.name != sentence.line.name and consents.search(each.text.replace("’", "'")) for each in after)


def _worded(sentence: _Sentence, lines: Sequence[TranscriptLine], kind: MemoryType) -> str:
    narrators = frozenset({sentence.line.name}) if sentence.is_told else frozenset[str]()
    told = narrated(sentence.line, sentence.text, narrators)
    if kind is not MemoryType.MOMENT or len(sentence.text.split()) >= _LEAST_WORDS * 2:
        return told
    # What was rolled says nothing without what came of it.
    after = next((each for each in lines[sentence.at + 1 : sentence.at + 3] if each.name != sentence.line.name), None)
    return f"{told} {narrated(after, sentences_of(after.text)[0], frozenset({after.name}))}" if after else told


def _best(items: Sequence[DigestItem], most: int, kind: MemoryType) -> list[DigestItem]:
    places = {id(item): at for at, item in enumerate(items)}
    # Of threads the latest are open; of all else the weightiest count.
    ranked = sorted(items, key=lambda item: (0 if kind is MemoryType.PLOT_THREAD else -item.weight, -places[id(item)]))
    return sorted(ranked[:most], key=lambda item: places[id(item)])


def _stating(names: Collection[str]) -> re.Pattern[str] | None:
    """A sentence that says of somebody or something by name what is so."""
    known = sorted((re.escape(name) for name in names if len(name) > 1), key=len, reverse=True)[:_MOST_NAMES]
    if not known:
        return None
    whose = rf"^\W*(?:the |old |our |your )?(?:{'|'.join(known)})(?:['’]s?)?(?: [a-z-]+){{0,2}}(?:,[^,]{{1,80}},)? "
    return sign("states", before=whose)
