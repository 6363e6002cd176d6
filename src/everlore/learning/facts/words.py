"""Normalizes text for comparison: lower case, no accents, one kind of quotation marks and dashes. Pure."""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+(?:[-’'.&][^\W_]+)*")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-"})


def folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_SIGNS))
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def words_of(text: str) -> list[str]:
    return [bare(word) for word in _WORD.findall(folded(text))]


def bare(word: str) -> str:
    return word.removesuffix("'s").strip("'.")
