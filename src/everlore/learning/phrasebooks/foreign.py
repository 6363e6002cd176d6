"""Finds what a message in another language plainly states about the user, as English claims with quotes (O1).

In: a message. Out: candidates that quote their evidence. A known phrase at the start of a clause states something,
unless its sentence asks, supposes, wishes or reports it.

All of it is data: `de.toml` holds German phrases, `slots.toml` their English, `language/words.tsv` the words of all six
languages with their English. A phrase is a regular expression with slots in braces: `{place}`, `{since}`, or a kind
from `words.tsv`, which matches each of its words (`{job}`); `common.toml` holds the shared slots. It matches at the
start of a clause, unless it begins with `^`. Phrases under `[they]` follow "my sister" or "my dog".

Start at `facts_told`; `book` loads a language.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

from everlore.domain.claim import USER, Claim, Slot
from everlore.language.glossary import CODES, small_of, spoken, words_of
from everlore.language.lists import data_in
from everlore.language.tense import Tense
from everlore.language.words import FIRST_NAMES
from everlore.learning.candidate import Candidate
from everlore.learning.clauses.plain import pieces_of
from everlore.learning.phrasebooks.statements import category_of, ended_claim, kin_claim, subject_named
from everlore.learning.phrasebooks.wording import with_article


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to state a fact about oneself: "lives", as "ich wohne in {place}". `behind`: matches a further statement
    about the same relative: "my sister is 7 and plays the violin"."""

    what: str
    pattern: re.Pattern[str]
    behind: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """`words`: foreign words and their English, by kind; `signs`: patterns for sentences, see `common.toml`."""

    small: frozenset[str]
    words: Mapping[str, Mapping[str, str]]
    no_names: frozenset[str]
    no_places: frozenset[str]
    signs: Mapping[str, re.Pattern[str]]
    own: tuple[Phrase, ...]
    theirs: tuple[Phrase, ...]

    def english(self, kind: str, word: str) -> str:
        """The English word; the foreign one if there is none."""
        return self.words.get(kind, {}).get(word.lower(), word)


@lru_cache(maxsize=len(CODES))
def book(code: str) -> Phrasebook:
    """Takes some 400 ms on first use of a language."""
    known, words = data_in(__package__, f"{code}.toml"), words_of(code)
    common = dict(data_in(__package__, "common.toml"))
    signs = common.pop("signs")
    written = {slot: each for slot, each in known.items() if isinstance(each, str)}
    slots = {**_slots(words), **common, **written, "so": rf"(?:(?:{known['so']}) )*"}
    ways = {which: [(what, way) for what, each in known[which].items() for way in each] for which in ("i", "they")}
    own = ((what, way if way.startswith("^") else "{begins}" + way) for what, way in ways["i"])
    return Phrasebook(
        small=small_of(code),
        words=words,
        no_names=frozenset(known["not_name"].split()),
        no_places=frozenset(known["not_place"].split()),
        signs={name: _compiled(each, slots) for name, each in signs.items()},
        own=tuple(Phrase(what, _compiled(way, slots)) for what, way in own),
        theirs=tuple(
            Phrase(what, _compiled("{they}" + way, slots), _compiled("{behind}" + way, slots))
            for what, way in ways["they"]
        ),
    )


def _slots(words: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """A slot for each kind of words, longest words first, so that "twin sister" is not a sister with a name."""
    found: dict[str, str] = {}
    for kind, each in words.items():
        found[f"any_{kind}"] = "|".join(re.escape(word) for word in sorted(each, key=len, reverse=True))
        found[kind] = rf"(?P<{kind}>{{any_{kind}}})(?!\w)"
    # "One" is an article.
    ages = sorted((word for word, english in words["number"].items() if english != "one"), key=len, reverse=True)
    return found | {"aged": rf"(?P<number>1[01]\d|[1-9]?\d|{'|'.join(map(re.escape, ages))})(?!\w)"}


def _compiled(written: str, slots: Mapping[str, str]) -> re.Pattern[str]:
    """Expands nested slots; each group gets a number, because one may occur twice."""
    while found := re.search(r"\{([a-z_]+)\}", written):
        written = written[: found.start()] + slots[found[1]] + written[found.end() :]
    numbers = count(1)
    numbered = re.sub(r"\(\?P<([a-z]+)>", lambda group: f"(?P<{group[1]}{next(numbers)}>", written)
    return re.compile(numbered, re.IGNORECASE)


_STATED = 0.9
_MOST_CHARS = 4_000
_MOST_IN_SENTENCE = 400
_LEAST_CHARS = 2
# "PS: I live in …" is said by the user, "a woman on the bus shouts to all: I live in …" is not.
_MOST_BEFORE_COLON = 3
# Remove all quotations: with phrases alone, their speaker cannot be determined.
_QUOTED = re.compile(r"""["“”„«‹][^"“”„«»‹›\n]{1,600}["“”»›]|(?<!\w)['‘][^'’\n]{3,300}['’](?!\w)""")
# Emoji end a sentence too, because some people write no full stops.
_SENTENCE = re.compile(r"(?:[^.!?…\n\u2600-\u27bf\U0001f300-\U0001faff]|(?<=\d)[.]|[.](?=\w))+([.!?…]*)")
_CALLED = "called"
# What people say along with their name, by the slot that holds it.
_OF_NAME = {"age": "number", "job": "job"}
# Past events stay true: "my father died when I was small".
_EVENTS = frozenset({"died", "born", "parted", "wed", _CALLED})


def facts_told(message: str) -> list[Candidate]:
    """Deterministic; never raises; repeated facts are returned once."""
    own = "\n".join(each.text for each in pieces_of(_QUOTED.sub(" … ", message)) if each.mood is None)
    text = re.sub(r"[^\S\n]+", " ", own[:_MOST_CHARS].replace("’", "'"))
    # Join a greeting to the text after it.
    text = re.sub(r"^\s*(\w+(?: \w+)?) ?[!.]+ ", r"\1, ", text)
    for code in spoken(text):
        if found := {each.content: each for each in _facts_in(text, book(code))}:
            return list(found.values())
    return []


def _facts_in(text: str, book: Phrasebook) -> Iterator[Candidate]:
    is_typed_small = text == text.lower()
    for sentence in _SENTENCE.finditer(book.signs["named_next"].sub("; ", text)):
        said = sentence.group().strip()[:_MOST_IN_SENTENCE]
        # In a question, the text before its last comma is a statement: "I live in Ghent, did you know?"
        ends = said.rfind(",") if "?" in sentence[1] else len(said)
        for what, match, kin, name in _heard(said, book):
            is_told = (what == _CALLED or match.end() <= ends) and _is_sure(said, match, book)
            if is_told and (what in _EVENTS or not _is_over(said, match, book)):
                yield from _told(what, match, kin, name, book, is_typed_small=is_typed_small)


def _heard(sentence: str, book: Phrasebook) -> Iterator[tuple[str, re.Match[str], str, str]]:
    """The matching phrases of a sentence with their subject: "sister", "Ana"; empty for the user."""
    for match in book.signs["met"].finditer(sentence):
        values = _values(match, book)
        if "name" in values:
            yield _CALLED, match, values["kin"], values["name"]
    for phrase in book.own:
        yield from ((phrase.what, match, "", "") for match in phrase.pattern.finditer(sentence))
    for phrase in book.theirs:
        for match in phrase.pattern.finditer(sentence):
            values = _values(match, book)
            # "The dog of my sister is …" is about the dog.
            if "whose" not in values:
                kin, name = values["kin"], values.get("name", "")
                yield phrase.what, match, kin, name
                behind = ((each.what, each.behind and each.behind.match(sentence, match.end())) for each in book.theirs)
                yield from ((what, more, kin, name) for what, more in behind if more)


def _is_sure(sentence: str, match: re.Match[str], book: Phrasebook) -> bool:
    """Whether nothing in its part of the sentence, or in the part before, makes it less than a fact."""
    own = sentence.rfind(",", 0, match.start() + 1)
    before, after = sentence.rfind(",", 0, max(own, 0)), sentence.find(",", match.end())
    is_cited = match.group().startswith(":") and len(sentence[: match.start()].split()) > _MOST_BEFORE_COLON
    return not is_cited and not book.signs["unsure"].search(sentence, before + 1, after if after >= 0 else 9_999)


def _is_over(sentence: str, match: re.Match[str], book: Phrasebook) -> bool:
    """Whether its clause is about the past: "we got a dog when I was little", "ich bin Lehrer gewesen"."""
    bounds = list(book.signs["bound"].finditer(sentence))
    begins = max((each.end() for each in bounds if each.start() <= match.start()), default=0)
    ends = min((each.start() for each in bounds if each.start() >= match.end()), default=len(sentence))
    return bool(book.signs["past"].search(sentence, begins, ends) or book.signs["past_behind"].match(sentence, ends))


def _told(
    what: str, match: re.Match[str], kin: str, name: str, book: Phrasebook, *, is_typed_small: bool
) -> Iterator[Candidate]:
    values = _values(match, book)
    if kin:
        values = {slot: value for slot, value in values.items() if slot not in {"kin", "name"}}
    there = values.pop("there", "")
    if there and _is_place(there, book, is_typed_small=is_typed_small):
        values["place"] = there
    is_named = all(_is_name(each, book) for each in (values.get("name"), values.get("whom"), name) if each)
    if not is_named or not _is_place(values.get("place", "Rome"), book, is_typed_small=is_typed_small):
        return
    values = {slot: value[:1].upper() + value[1:] if slot == "place" else value for slot, value in values.items()}
    quote, name = match.group().strip(" ,;:"), name[:1].upper() + name[1:]
    yield _candidate(what, quote, kin, name, values)
    if what == "name":
        # "Hi, I am Ana, 29, from Rosario".
        hails = values.get("hails", "")
        if hails and _is_place(hails, book, is_typed_small=False):
            yield _candidate("from", quote, "", "", {"place": hails})
        yield from (_candidate(other, quote, "", "", values) for other in ("age", "job") if _OF_NAME[other] in values)


def _values(match: re.Match[str], book: Phrasebook) -> dict[str, str]:
    """The matched slots in English. If a slot occurs twice the last value counts, for things all of them."""
    said = [(group.rstrip("0123456789"), value) for group, value in match.groupdict().items() if value]
    found = {slot: _english(slot, value, book) for slot, value in said}
    if things := [book.english("thing", value) for slot, value in said if slot == "thing"]:
        found["thing"] = _joined(things)
    if "friend" in found:
        found["kin"] = "friend"
    return found


def _english(slot: str, value: str, book: Phrasebook) -> str:
    match slot:
        case "kin":
            return book.words["kin"].get(value.lower()) or book.english("pet", value)
        case "things":
            # "al ibuprofeno y a la aspirina": ibuprofen and aspirin.
            bare = [re.sub(r"^[ldn]'", "", each) for each in re.split(r"[,\s]+", value)]
            named = (each for each in bare if len(each) > _LEAST_CHARS and each.lower() not in book.small)
            return _joined([book.english("thing", each) for each in named])
        case "beside":
            folk = {**book.words["kin"], **book.words["pet"], **book.words["many"]}.get
            return _joined([folk(each.lower(), each) for each in book.signs["folk"].findall(value)])
        case "names":
            return _joined(re.split(r", ?| (?:und|y|e|et|en|ed|&) ", value))
    return book.english({"work": "job", "at": "workplace"}.get(slot, slot), value)


def _joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _is_name(name: str, book: Phrasebook) -> bool:
    low = name.lower().split()[0]
    return low not in book.no_names | book.small and (name[0].isupper() or low in FIRST_NAMES)


def _is_place(place: str, book: Phrasebook, *, is_typed_small: bool) -> bool:
    first = place.split()[0].lower()
    if first in book.no_places | book.small or first in book.words["month"]:
        return False
    return place[0].isupper() or (is_typed_small and len(first) > _LEAST_CHARS)


# ── rendering ────────────────────────────────────────────────────────────────────────────────────


def _candidate(what: str, quote: str, kin: str, name: str, values: Mapping[str, str]) -> Candidate:
    if what == _CALLED:
        claim, content = kin_claim(kin, name, quote), f"User has {with_article(kin)} named {name}"
    else:
        given, parts, since = data_in(__package__, "slots.toml")[what], _parts(values), _since(values)
        form = given["long"] if since and "long" in given else given["say"]
        who = f"User's {kin} {name}".strip() if kin else "User"
        content = f"{who} {form.format(**parts)}{since if 'long' in given else ''}".replace(" 's ", "'s ")
        subject = subject_named(kin, name) if kin else USER
        ended = ended_claim(kin, name, quote=quote) if what == "died" and kin else None
        claim = ended or _claim(given, parts, subject, quote)
    return Candidate(
        content=content,
        category=category_of(claim),
        confidence=_STATED,
        reasoning="Says so.",
        quote=quote,
        rule=f"phrasebook.{what}",
        claim=claim,
    )


def _claim(given: Mapping[str, Any], parts: Mapping[str, str], subject: str, quote: str) -> Claim:
    return Claim(
        subject=subject,
        slot=Slot(given["slot"]) if "slot" in given else None,
        topic=given.get("topic", "").format(**parts),
        value=given["value"].format(**parts).strip(),
        polarity=not given.get("denied", False),
        time=Tense(given.get("time", "now")),
        is_change=given.get("change", False),
        quote=quote,
    )


def _parts(values: Mapping[str, str]) -> dict[str, str]:
    month, partner = values.get("month", ""), values.get("whom") or values.get("name", "")
    names = values.get("names", "")
    return {
        **values,
        "a_job": _work(values.get("job", ""), values.get("of", "")),
        "a_work": _work(values.get("work", ""), values.get("of", "")),
        "at": f" at {values['at']}" if "at" in values else "",
        "where": values.get("at", ""),
        "on": f" on {month} {values['day']}" if "day" in values else month and f" in {month}",
        "in": f" in {values['place']}" if "place" in values else "",
        "to": partner and f" to {partner}",
        "partner": partner,
        "with": f" with their {values['beside']}" if "beside" in values else "",
        "when": f" {values['when']}" if "when" in values else "",
        "month": month and f" in {month}",
        "names": names and f" named {names}",
        "bare_names": names,
        "things": values.get("things") or values.get("thing", ""),
        "date": f"{month} {values.get('day', '')}",
    }


def _work(noun: str, of: str) -> str:
    """The English job, with the original's further words in parentheses: "teacher (de maths)"."""
    named = f"{noun} ({of.strip()})" if of else noun
    return named if not noun or noun == "retired" else with_article(named)


def _since(values: Mapping[str, str]) -> str:
    if "year" in values:
        return f" since {values['year']}"
    return f" for {values['number']} {values['unit']}" if "unit" in values else ""
