"""Turns text from outside into plain lines and bare words: no markup, no control characters, bounded (S-6, S-8)."""

import re
from functools import lru_cache

from everlore.domain.display import display
from everlore.models.voice.phrases import pattern, table, words

_MOST_CHARS = 300
_MOST_READ = 8_000
_MOST_SENTENCES = 40
_ENDS = (".", "!", "?", "…", "。", "！", "？", "؟")
_QUESTION_ENDS = ("?", "？", "؟")
_CLOSING = "\"'”’)]*_"
# Chinese and Japanese use no space after a sentence.
_SPACED = str.maketrans({"。": "。 ", "！": "！ ", "？": "？ "})
_WORD = re.compile(r"[^\W_]+")


def plain(text: str, most: int = _MOST_CHARS) -> str:
    """One line of at most `most` characters, cut between words."""
    line = display(" ".join(text[:_MOST_READ].split())).text
    # Joining lines takes markup out of its code block, so the text was filtered above.
    shown = "".join(sign for sign in line if sign.isprintable() or sign == "\u200d")
    return shown if len(shown) <= most else shown[: most - 1].rpartition(" ")[0] + " …"


def quoted(text: str) -> str:
    """Puts the text in quotation marks and ends it as a sentence."""
    return f"“{text}”" if text.endswith((".", "!", "?", "…", "。")) else f"“{text}”."


def without_end(sentence: str) -> str:
    return sentence.rstrip(" .!…。！,;:")


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, each as a plain line."""
    found: list[str] = []
    for line in display(text[:_MOST_READ]).text.splitlines():
        start, parts = 0, line.translate(_SPACED).split()
        ends = [place for place, word in enumerate(parts, start=1) if _ends_sentence(word)]
        for end in [*ends, len(parts)]:
            found.append(plain(" ".join(parts[start:end])))
            start = end
    return [each for each in found if each][:_MOST_SENTENCES]


def _ends_sentence(word: str) -> bool:
    low = word.rstrip(_CLOSING)
    is_short = low[-1:] == "." and (low[:-1].lower() in words("abbreviations") or (len(low) == 2 and low[0].isupper()))
    return low.endswith(_ENDS) and not is_short


def ends_as_question(sentence: str) -> bool:
    return sentence.rstrip(_CLOSING + " !").endswith(_QUESTION_ENDS)


@lru_cache(maxsize=2_000)
def bare(text: str) -> str:
    """Normalizes text for patterns: lower case, no punctuation, and "I'm" and "im" become "i am"."""
    low = text.lower().replace("’", "'").replace("n't", "nt")
    return " ".join(table("long_forms").get(word, word) for word in _WORD.findall(low))


def is_said(name: str, text: str) -> bool:
    """Whether a pattern of `phrases.toml` matches a text."""
    return pattern(name).search(bare(text)) is not None


def is_danger(text: str) -> bool:
    """Whether it speaks of killing or hurting oneself, or of not wanting to live."""
    said = sentences(text)
    # Joined as well, because a phrase may span two lines.
    texts = [pattern("no_danger").sub(" … ", bare(each)) for each in (*said, " ".join(said))]
    is_hurting = any(pattern("hurting").search(each) and not pattern("accident").search(each) for each in texts)
    return is_hurting or any(pattern("danger").search(each) for each in texts)
