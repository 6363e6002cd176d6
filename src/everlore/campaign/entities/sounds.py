"""Phonetic keys: spellings that sound the same have the same key. For names spelled by ear by English speakers.

"Quorvane", "Corvane" and "Quorvain" are KRFN. Pure; start at `sound_of`.
"""

import re
from functools import lru_cache

# Applied in this order; "1" is the sound of "sh" and "ch".
_SPELLED = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"^(?:kn|gn|pn)", "n"),
        (r"^wr", "r"),
        (r"(?<=[a-z])wr", "r"),
        (r"ght", "t"),
        (r"gh(?=[aeiouy])", "g"),
        (r"gh", ""),
        (r"ph", "f"),
        (r"tch|sch|ch|sh", "1"),
        (r"th", "t"),
        (r"ck|qu|q|kh", "k"),
        (r"c(?=[eiy])", "s"),
        (r"c", "k"),
        (r"x", "ks"),
        (r"z", "s"),
        (r"v", "f"),
        (r"j", "g"),
        (r"^[aeiouy]+", "a"),
        (r"(?<=.)[aeiouyhw]", ""),
        (r"(.)\1+", r"\1"),
    )
)


@lru_cache(maxsize=50_000)
def sound_of(word: str) -> str:
    key = word.lower()
    for pattern, sound in _SPELLED:
        key = pattern.sub(sound, key)
    return key
