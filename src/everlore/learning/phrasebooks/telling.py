"""What a message in another language plainly tells: known phrases, at the beginning of a clause, stated as so. Pure.

In: what the user says in their own words. Out: what is told of whom, with our words for theirs where we have them.
What is asked, supposed, wished or told after others is left out: a phrase that is not sure is not told.

Start at `told_in`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from everlore.language.firstnames import FIRST_NAMES
from everlore.language.glossary import spoken
from everlore.learning.phrasebooks.book import Phrasebook, book

_MOST_CHARS = 4_000
_MOST_IN_SENTENCE = 400
_LEAST_CHARS = 2
# "PS: I live in …" is said by the user, "a woman on the bus shouts to all: I live in …" is not.
_MOST_BEFORE_COLON = 3
# Whoever writes no full stops sets pictures.
_SENTENCE = re.compile(r"(?:[^.!?…\n\u2600-\u27bf\U0001f300-\U0001faff]|(?<=\d)[.]|[.](?=\w))+([.!?…]*)")
# What was heard, where, and of whom.
_Said = tuple[str, re.Match[str], str, str]
# What has happened stays so: "my father died when I was small".
_EVENTS = frozenset({"died", "born", "parted", "wed"})


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """`what`: which thing, such as "lives"; `of`: whose, such as "sister", or nobody but the user; `name`: theirs.
    `values`: what the phrase holds, in our words. `quote`: the words that tell it."""

    what: str
    quote: str
    of: str = ""
    name: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


def told_in(text: str) -> list[PhraseMatch]:
    text = re.sub(r"[^\S\n]+", " ", text[:_MOST_CHARS].replace("’", "'"))
    # A greeting belongs to what follows.
    text = re.sub(r"^\s*(\w+(?: \w+)?) ?[!.]+ ", r"\1, ", text)
    for code in spoken(text):
        if found := list(_told(text, book(code))):
            return found
    return []


def _told(text: str, book: Phrasebook) -> Iterator[PhraseMatch]:
    is_typed_small = text == text.lower()
    text = book.named_next.sub("; ", text)
    for sentence in _SENTENCE.finditer(text):
        said = sentence.group().strip()[:_MOST_IN_SENTENCE]
        # Of a question, what stands before its last comma is told: "I live in Ghent, did you know?"
        ends = said.rfind(",") if "?" in sentence[1] else len(said)
        yield from _introduced(said, book)
        for heard in _heard(said, book):
            what, match, *_ = heard
            is_so = _is_sure(said, match, book) and (what in _EVENTS or not _is_over(said, match, book))
            if match.end() <= ends and is_so:
                yield from _of_match(heard, book, is_typed_small=is_typed_small)


def _heard(sentence: str, book: Phrasebook) -> Iterator[tuple[str, re.Match[str], str, str]]:
    """The phrases of a sentence, and of whom each is: "sister", "Ana"; of the user, nothing."""
    for phrase in book.own:
        yield from ((phrase.what, match, "", "") for match in phrase.pattern.finditer(sentence))
    for phrase in book.theirs:
        for match in phrase.pattern.finditer(sentence):
            values = _values(match, book)
            if "whose" in values:
                # "The dog of my sister is …" is of the dog.
                continue
            kin, name = values["kin"], values.get("name", "")
            yield phrase.what, match, kin, name
            behind = ((each.what, each.behind and each.behind.match(sentence, match.end())) for each in book.theirs)
            yield from ((what, more, kin, name) for what, more in behind if more)


def _is_sure(sentence: str, match: re.Match[str], book: Phrasebook) -> bool:
    """Neither in its own part of the sentence nor in the one before it stands anything that makes it less than so."""
    own = sentence.rfind(",", 0, match.start() + 1)
    before, after = sentence.rfind(",", 0, max(own, 0)), sentence.find(",", match.end())
    is_cited = match.group().startswith(":") and len(sentence[: match.start()].split()) > _MOST_BEFORE_COLON
    return not is_cited and not book.unsure.search(sentence, before + 1, after if after >= 0 else len(sentence))


def _is_over(sentence: str, match: re.Match[str], book: Phrasebook) -> bool:
    """Its clause is of the past: "we got a dog when I was little", "ich bin Lehrer gewesen"."""
    bounds = list(book.bound.finditer(sentence))
    begins = max((each.end() for each in bounds if each.start() <= match.start()), default=0)
    ends = min((each.start() for each in bounds if each.start() >= match.end()), default=len(sentence))
    return bool(book.past.search(sentence, begins, ends) or book.past_behind.match(sentence, ends))


def _introduced(sentence: str, book: Phrasebook) -> Iterator[PhraseMatch]:
    for match in book.met.finditer(sentence):
        values = _values(match, book)
        name = values.get("name", "")
        if name and _is_name(name, book) and _is_sure(sentence, match, book):
            yield PhraseMatch("called", match.group().strip(), values["kin"], _capital(name))


def _of_match(said: _Said, book: Phrasebook, *, is_typed_small: bool) -> Iterator[PhraseMatch]:
    what, match, kin, whose = said
    values = _values(match, book)
    if kin:
        values = {slot: value for slot, value in values.items() if slot not in {"kin", "name"}}
    there = values.pop("there", "")
    if there and _is_place(there, book, is_typed_small=is_typed_small):
        values["place"] = there
    if "place" in values and not _is_place(values["place"], book, is_typed_small=is_typed_small):
        return
    if not all(_is_name(each, book) for each in (values.get("name"), values.get("whom"), whose) if each):
        return
    quote = match.group().strip(" ,;:")
    yield PhraseMatch(what, quote, kin, _capital(whose), _neat(values))
    if what == "name":
        yield from _beside_the_name(quote, values, book)


def _beside_the_name(quote: str, values: Mapping[str, str], book: Phrasebook) -> Iterator[PhraseMatch]:
    """ "Hi, I am Ana, 29, from Rosario"."""
    if "number" in values:
        yield PhraseMatch("age", quote, values=values)
    if "hails" in values and _is_place(values["hails"], book, is_typed_small=False):
        yield PhraseMatch("from", quote, values={"place": values["hails"]})
    if "job" in values:
        yield PhraseMatch(
            "job", quote, values={slot: values[slot] for slot in ("job", "of", "place") if slot in values}
        )


def _values(match: re.Match[str], book: Phrasebook) -> dict[str, str]:
    """By the name of the slot; our words for theirs. Of two that are of one kind it is the last, of things all."""
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
            return _listed(value, book)
        case "beside":
            folk = {**book.words["kin"], **book.words["pet"], **book.words["many"]}.get
            return _joined([folk(each.lower(), each) for each in book.folk.findall(value)])
    return book.english({"work": "job", "at": "workplace"}.get(slot, slot), value)


def _listed(things: str, book: Phrasebook) -> str:
    """ "al ibuprofeno y a la aspirina": ibuprofen and aspirin."""
    bare = [re.sub(r"^[ldn]'", "", each) for each in re.split(r"[,\s]+", things)]
    named = (each for each in bare if len(each) > _LEAST_CHARS and each.lower() not in book.small)
    return _joined([book.english("thing", each) for each in named])


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


def _neat(values: Mapping[str, str]) -> dict[str, str]:
    neat = {slot: value for slot, value in values.items() if slot not in {"mark", "said"}}
    if "place" in neat:
        neat["place"] = _capital(neat["place"])
    if "names" in neat:
        neat["names"] = _joined(re.split(r", ?| (?:und|y|e|et|en|ed|&) ", neat["names"]))
    return neat


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
