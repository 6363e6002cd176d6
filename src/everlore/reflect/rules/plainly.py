"""A message with some of its shortcuts spelled out, so that its clauses stay whole. Pure.

"my niece (Lea, 12) sings" is read as "my niece Lea sings", and that she is 12 as a sentence of its own at the end: the
brackets would tear the clause apart, and what is behind them would be taken for the user's own. "Grandma Hilda plays
bridge" is read as "my grandma Hilda": whoever calls her so is her grandchild.

Start at `put_plainly`.
"""

import re

from everlore.language.words import KEPT, PERSONS

_MOST_CHARS = 12_000
_BESIDE = re.compile(r"\b((?:my|our|the)\s(?:[a-z][a-z'’-]{1,20}\s){1,3})\(([^()\n]{1,60})\)", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:,|&|\band\b)\s*")
_NAME = re.compile(r"(?:(?:Dr|Mr|Mrs|Ms)\.? )?[A-Z][\w'’-]{1,20}(?: [A-Z][\w'’-]{1,20})?")
_AGE = re.compile(r"(\d{1,2})(?: ?(?:yo|y/o|years old))?")
_NAMED = re.compile(r"\b([A-Z][\w'’-]{1,20}) \((?:my|our|the) ([a-z][a-z -]{1,20})\)")
# "My dads a cop": of whom there is but one, and of whom there may be several.
_ONLY = re.compile(
    r"\b(my|our) (mum|mom|dad|mother|father|wife|husband|boyfriend|girlfriend|gran|nan|grandma|grandad|grandpa|"
    r"birthday|boss)s (?=(?:an?|from|in|on|the|called|named|not|now|\d{1,2})\b)",
    re.IGNORECASE,
)
_ANY = re.compile(r"\b(my|our) (sister|brother|son|daughter|uncle|aunt|cousin|best friend)s (?=an? )", re.IGNORECASE)
_FAVORITE = re.compile(r"\b(favou?rite [\w ]{1,25}?) (?:has (?:got )?to be|would have to be|gotta be|must be)\b", re.I)
_SIBLINGS = re.compile(r"\b(?:brothers (?:and|&|n) sisters|sisters (?:and|&|n) brothers)\b", re.IGNORECASE)
_TITLED = re.compile(
    r"(\A\s*|[.!?\n]\s{1,3})(uncle|aunt|auntie|grand(?:ma|pa|dad|mother|father)|granny|grandad|nana|nan|gran) "
    r"(?=[A-Z][a-z])",
    re.IGNORECASE,
)


def put_plainly(message: str) -> str:
    if len(message) > _MOST_CHARS:
        return message
    ages: list[str] = []
    text = _BESIDE.sub(lambda found: _with_names(found, ages), message)
    text = _FAVORITE.sub(r"\1 is", _NAMED.sub(_by_name, text))
    text = _SIBLINGS.sub("siblings", text)
    text = _ANY.sub(r"\1 \2's ", _ONLY.sub(r"\1 \2's ", text))
    text = _TITLED.sub(lambda found: f"{found[1]}My {found[2].lower()} ", text)
    return "\n".join([text, *ages])


def _by_name(found: re.Match[str]) -> str:
    """ "Ben (my cousin) sings"."""
    return f"my {found[2]} {found[1]}" if found[2].split()[-1] in PERSONS else found[0]


def _with_names(found: re.Match[str], ages: list[str]) -> str:
    owner = found[1].rstrip()
    items = _ITEM.split(found[2].strip())
    names = [each for each in items if _NAME.fullmatch(each)]
    aged = [age[1] for each in items if (age := _AGE.fullmatch(each))]
    if not names or items[0] != names[0] or owner.split()[-1].lower() not in KEPT | PERSONS:
        return found[0]
    if len(names) == 1 and len(aged) == 1:
        ages.append(f"{owner} {names[0]} is {aged[0]}.")
    return f"{owner} {', '.join(names[:-1])}{' and ' if names[:-1] else ''}{names[-1]}"
