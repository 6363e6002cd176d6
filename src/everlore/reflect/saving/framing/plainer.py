"""One wording for what is said in several: "is diabetic" and "suffers from diabetes" are "has diabetes". Pure.

Start at `plainer`.
"""

import re

from everlore.language.lists import by_word

# Whoever is so has that.
_HAD_BY = by_word("body.had_by")
_SO = re.compile(rf"is (?:an? )?(?:type \w{{1,3}} )?(?P<ill>{'|'.join(_HAD_BY)})", re.IGNORECASE)
_WORDINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?:{said})(?= )", re.IGNORECASE), plain)
    for said, plain in (
        ("is (?:scared|terrified|frightened|petrified|afraid) of|has an? (?:fear|phobia) of|fears", "is afraid of"),
        ("(?:is|got) diagnosed with|suffers? from", "has"),
        ("has an? collection of", "collects"),
        ("has a job at", "works at"),
        (r"is (?:the |an? )?(?:proud |sole |new )?owner of", "owns"),
        ("took up", "started"),
        ("(?:dreams of|hopes|would like) (?:becoming|to become)|wants to become", "wants to be"),
    )
)


def plainer(phrase: str) -> str:
    """`phrase` begins with its verb, and "was" is "is" in it."""
    if so := _SO.fullmatch(phrase):
        return f"has {_HAD_BY[so['ill'].lower()]}"
    for said, plain in _WORDINGS:
        if match := said.match(phrase):
            return plain + phrase[match.end() :]
    return phrase
