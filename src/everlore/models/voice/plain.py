"""Text from outside as one plain line: no markup that acts, no control signs, bounded (S-6, S-8)."""

import re

from everlore.domain.display import display
from everlore.models.voice.phrases import ABBREVIATIONS, LEADS

MOST_CHARS = 300
_MOST_READ = 8_000
_MOST_SENTENCES = 40
_ENDS = (".", "!", "?", "…", "。", "！", "？", "؟")
_QUESTION_ENDS = ("?", "？", "؟")
_HELLOS = frozenset(
    ("hello there", "hi there", "hey there", "hello", "hi", "hey", "good morning", "good afternoon", "good evening")
)
# Whoever is greeted, and then told something.
_ADDRESSED = re.compile(r"^[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*)?[,!.] +(?=\w)")
_CLOSING = "\"'”’)]*_"
# Chinese and Japanese put no space after the end of a sentence.
_SPACED = str.maketrans({"。": "。 ", "！": "！ ", "？": "？ "})


def plain(text: str, most: int = MOST_CHARS) -> str:
    """One line of at most `most` characters, cut between words."""
    line = display(" ".join(text[:_MOST_READ].split())).text
    # Marks that stood in code came out of their fence when the lines were joined; hence the display above.
    shown = "".join(sign for sign in line if sign.isprintable() or sign == "\u200d")
    return shown if len(shown) <= most else shown[: most - 1].rpartition(" ")[0] + " …"


def sentences(text: str) -> list[str]:
    """The sentences of a message, in order, each as a plain line."""
    found: list[str] = []
    for line in display(text[:_MOST_READ]).text.splitlines():
        found.extend(_of_line(line.translate(_SPACED)))
    plain_ones = (plain(sentence) for sentence in found[:_MOST_SENTENCES])
    return [sentence for sentence in plain_ones if sentence]


def _of_line(line: str) -> list[str]:
    found: list[str] = []
    words: list[str] = []
    for word in line.split():
        words.append(word)
        if _ends_sentence(word):
            found.append(" ".join(words))
            words = []
    return [*found, " ".join(words)] if words else found


def _ends_sentence(word: str) -> bool:
    bare = word.rstrip(_CLOSING)
    is_short = bare[-1:] == "." and (bare[:-1].lower() in ABBREVIATIONS or (len(bare) == 2 and bare[0].isupper()))
    return bare.endswith(_ENDS) and not is_short


def ends_as_question(sentence: str) -> bool:
    return sentence.rstrip(_CLOSING + " !").endswith(_QUESTION_ENDS)


def without_end(sentence: str) -> str:
    return sentence.rstrip(" .!…。！,;:")


def without_lead(sentence: str) -> str:
    """Without what only leads up to it: "Well, by the way, I moved" is "I moved", and so is "Hi Vesna, I moved"."""
    rest = sentence
    while True:
        low = rest.lower().replace("’", "'")
        lead = next(
            (lead for lead in LEADS if low.startswith(lead) and not low[len(lead) : len(lead) + 1].isalnum()), ""
        )
        stripped = rest[len(lead) :].lstrip(" ,.:;!-–—")
        if not lead or not stripped:
            return rest
        rest = _ADDRESSED.sub("", stripped) if lead in _HELLOS else stripped
