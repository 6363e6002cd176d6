"""A language as far as it is known: its words for what we have words for, and its plain phrases.

All of it is data: `de.toml` holds the phrases of German, `language/words.tsv` the words of all six beside ours. A
phrase is a regular expression with slots in braces: `{place}`, `{since}`, or a kind of `words.tsv`, which stands for
each of its words (`{job}`). It begins a clause, unless it begins with `^`. Phrases under `[they]` follow "my sister" or
"my dog".

Start at `book`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import count
from typing import Any

from everlore.language.glossary import CODES, small_of, words_of

_CAPITAL = "(?-i:[A-ZÀ-ÖØ-Þ])"
_WORD = r"[^\W\d_][\w'-]*"
_AND = "und|y|e|et|en|ed|ni|&"
_ARTICLES = "el|la|los|las|le|les|il|i|gli|lo|de|het|a|o|as|os|die|den|das|al|alla|ai|aux|au|à la|à|às|ao|a la"
_JOINED = rf"(?: (?:(?:de|del|de la|da|do|di|am|an der|aan den|sur|la|le) )?{_CAPITAL}[\w'-]*)?"
# Of somebody who was: "my ex wife", "mein früherer Chef".
_FORMER = (
    r"ex\b|früher|ehemalig|verstorben|antigu|antig[oa]|ancien|vroegere|voormalig|overleden|difunt|défunt|falecid|defunt"
)
_OF = rf"(?P<of>(?: (?:de|di|du|van|für|da|do) {_WORD})?)"
# What stands for a slot in every language.
_SLOTS = {
    "name": rf"(?P<name>{_WORD})",
    "full": rf"(?P<name>{_WORD}(?: {_CAPITAL}[\w'-]+){{0,2}})",
    "names": rf"(?P<names>{_CAPITAL}[\w'-]+(?:(?:, ?| (?:{_AND}) ){_CAPITAL}[\w'-]+){{0,5}})",
    "place": rf"(?P<place>{_WORD}{_JOINED})",
    "year": r"(?P<year>(?:19|20)\d\d)",
    "day": r"(?P<day>[1-9]|[12]\d|3[01])",
    "thing_said": rf"(?:(?:(?:{_ARTICLES})\b |l') ?)*[\w'-]+",
    "things": rf"(?P<things>{{thing_said}}(?:(?:,| (?:{_AND}))\s+(?:{{thing_said}}{{end}}|{{thing}})){{0,4}})",
    "since_": "(?:{since} )?",
    "lately_": "(?:{lately} )?",
    "when_": "(?:{when} )?",
    "_when": "(?:,? {when})?",
    # Where something else is, that stands without it, too.
    "_there": rf"(?: (?:{{in}})(?: (?:el|la|der|de|het)(?= (?-i:[A-Z][A-Z])))? (?P<there>{_WORD}{_JOINED}))?",
    # With whom: "with my wife and our two dogs".
    "beside": r"(?:{with}) (?P<beside>(?:{my}) {folk}(?:,? (?:{and}) (?:(?:{my}) )?{folk}){0,2})"
    r"(?!,? (?:{and}) (?:{my})\b)",
    "folk": rf"(?:[\w-]+ )??(?:{{anybody}})(?!\w)(?: {_CAPITAL}[\w'-]+)?",
    "beside_": "(?:{beside} )?",
    "_beside": "(?:,? {beside})?",
    "whom": rf"(?P<whom>{_CAPITAL}[\w'-]+)",
    "_since": "(?:,? (?:ya |già |já |nun |nu |schon |déjà )?{since})?",
    "called": r"(?:(?:;|,? (?:{and})) (?P<said>{named}) {names}|(?P<mark>,|:| \(| -|) ?(?P<said>{dubbed})? ?{names})?",
    "dubbed": "{named}",
    # How people introduce themselves: by name, age, where they come from and what they do.
    "self": rf"(?:,? {{number}}(?: {{unit}})?{{end}})?(?:,? (?:{{hails}}) (?P<hails>{_WORD}{_JOINED}))?"
    r"(?:, {job}(?: (?:{in}) {place})?)?",
    # Behind it, the clause is over, or tells since when.
    "end": r"(?=\s*(?:$|[^\w\s'-]|(?:{and}|{then})\b))",
    # Where a clause begins; where somebody says "I", too.
    "begins": r"(?:(?:^|[^\w\s'-]|\b(?:{and})\b)\s*(?:(?:{lead})(?!\w)[\s,!.]*){0,4}|(?<=\s)(?=(?:{self_word})\b))",
    "mine": rf"\b(?:(?:{{my}}) (?:(?!{_FORMER})[\w-]+ )??{{somebody}}|{{a_friend}})",
    "met": "{mine}(?:,? (?:{dubbed} )?{name})?",
    "they": rf"(?<!\w)(?P<whose>(?:{{whose}}) )?{{mine}}(?:,? (?={_CAPITAL}){{name}},?)? ",
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to say a thing of oneself: "lives", as "ich wohne in {place}". Of somebody of the user's, it is known
    `behind` something else that was said of them, too: "my sister is 7 and plays the violin"."""

    what: str
    pattern: re.Pattern[str]
    behind: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Book:
    small: frozenset[str]
    # By kind, their words and ours.
    words: Mapping[str, Mapping[str, str]]
    no_names: frozenset[str]
    no_places: frozenset[str]
    # What makes a sentence less than so: if, would, dreamt, says.
    unsure: re.Pattern[str]
    # What makes a clause one of the past; in the clause behind it, too: when I was little.
    past: re.Pattern[str]
    past_behind: re.Pattern[str]
    # Any of the user's people or animals.
    folk: re.Pattern[str]
    # Where a clause ends.
    bound: re.Pattern[str]
    # Where a sentence ends, of which the next one tells the name.
    named_next: re.Pattern[str]
    # One of the user's people or animals, by name.
    met: re.Pattern[str]
    own: tuple[Phrase, ...]
    theirs: tuple[Phrase, ...]

    def english(self, kind: str, word: str) -> str:
        """Our word for theirs; theirs, where we have none."""
        return self.words.get(kind, {}).get(word.lower(), word)


@lru_cache(maxsize=len(CODES))
def book(code: str) -> Book:
    """Some 400 ms when it is heard for the first time."""
    known, words = _known(code), words_of(code)
    slots = {**_slots(words), **_SLOTS, **{slot: each for slot, each in known.items() if isinstance(each, str)}}
    slots["so"] = rf"(?:(?:{known['so']}) )*"
    return Book(
        small=small_of(code),
        words=words,
        no_names=frozenset(known["not_name"].split()),
        no_places=frozenset(known["not_place"].split()),
        unsure=re.compile(rf"(?<!\w)(?:{known['unsure']})(?!\w)", re.IGNORECASE),
        past=re.compile(rf"(?<!\w)(?:{known['past']}|{known['past_when']})(?!\w)", re.IGNORECASE),
        past_behind=re.compile(rf",\s*(?:{known['past_when']})(?!\w)", re.IGNORECASE),
        folk=re.compile(rf"(?<!\w)(?:{slots['anybody']})(?!\w)", re.IGNORECASE),
        bound=re.compile(rf"[,;:]|\s(?:{known['and']})\s", re.IGNORECASE),
        named_next=re.compile(rf"[.!]+\s+(?=(?:{known['named']}) {_CAPITAL})", re.IGNORECASE),
        met=_compiled("{met}", slots),
        own=tuple(
            Phrase(what, _compiled(way if way.startswith("^") else "{begins}" + way, slots))
            for what, way in _ways(known["i"])
        ),
        theirs=tuple(
            Phrase(what, _compiled("{they}" + way, slots), _compiled(r"(?:,|,? (?:{and})) (?:{so})" + way, slots))
            for what, way in _ways(known["they"])
        ),
    )


def _ways(known: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    return ((what, way) for what, ways in known.items() for way in ways)


def _slots(words: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Of each kind of words, any of them, and what is made of them."""
    # "One" is an article.
    ages = {word: english for word, english in words["number"].items() if english != "one"}
    return {
        **{kind: rf"(?P<{kind}>{_any(each)})(?!\w)" for kind, each in words.items()},
        "number": rf"(?P<number>\d{{1,3}}|{_any(words['number'])})(?!\w)",
        "aged": rf"(?P<number>1[01]\d|[1-9]?\d|{_any(ages)})(?!\w)",
        # Not one of plush: "un gatto di peluche".
        "pet": rf"(?P<pet>{_any(words['pet'])})(?!\w| (?:de|di|en) pel[uú])",
        "job": rf"(?P<job>{_any(words['job'])})(?!\w){_OF}",
        "work": r"(?:(?:eine?|een|una?|une|uma?|il|la|lo) |l')?"
        rf"(?P<work>{_any(words['job'])}|(?!(?:{{no_work}})\b){_WORD})(?!\w){_OF}",
        "at": rf"(?P<at>(?:{_any(words['workplace'])})(?!\w)|{_CAPITAL}[\w'&-]+(?: {_CAPITAL}[\w'&-]+){{0,2}})",
        "somebody": rf"(?P<kin>{_any({**words['kin'], **words['pet']})})(?!\w)",
        "anybody": _any({**words["kin"], **words["pet"], **words["many"]}),
    }


def _compiled(written: str, slots: Mapping[str, str]) -> re.Pattern[str]:
    """Slots stand in slots; each group gets a number, for one may come twice."""
    while found := re.search(r"\{([a-z_]+)\}", written):
        written = written[: found.start()] + slots[found[1]] + written[found.end() :]
    numbers = count(1)
    numbered = re.sub(r"\(\?P<([a-z]+)>", lambda group: f"(?P<{group[1]}{next(numbers)}>", written)
    return re.compile(numbered, re.IGNORECASE)


@lru_cache(maxsize=len(CODES))
def _known(code: str) -> dict[str, Any]:
    return tomllib.loads(_file(f"{code}.toml"))


def _any(words: Mapping[str, str]) -> str:
    """The longest first: "twin sister" is not a sister with a name."""
    return "|".join(re.escape(each) for each in sorted(words, key=len, reverse=True))


def _file(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
