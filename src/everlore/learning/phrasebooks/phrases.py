"""English phrases as data (`english.toml`): which claim a predicate makes, and whether it lasts.

In: a parsed predicate. Out: its `PhraseMeaning`, from which a claim is made, or None if no phrase matches; and whether
its content lasts. Start at `meaning_of` and `lasts`.
"""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cache
from typing import Any

from everlore.domain.claim import Claim, Slot
from everlore.domain.dates import without_dates
from everlore.language import words
from everlore.language.lists import by_word, data_in, listed, phrases_listed, tabled, written_list
from everlore.language.tense import Tense
from everlore.language.verbs import base_of_gerund
from everlore.learning.phrasebooks.predicates import Predicate, VerbForm
from everlore.learning.phrasebooks.wording import shown

_PARTNERS = listed("people.partners")
_NO_MORE = listed("people.no_more")


def _any(words: Iterable[str]) -> str:
    """Longer words first: "ex-wife" before "ex"."""
    return "|".join(re.escape(each) for each in sorted(words, key=lambda word: (-len(word), word)))


KIN = _any((words.PERSONS | frozenset(words.KIN_OF)) - _PARTNERS)
PARTNERS = _any(_PARTNERS)
PETS = _any(words.PETS | words.PLURAL_PETS)
_NEAR = 3
# After these verbs, the noun that makes it an event must be nearer.
_NEARER = frozenset("get have buy sell take".split())
_LIST = re.compile(r"<([a-z_]+\.[a-z_]+)>")
_WORD = re.compile(r"\{([a-z_]+)\}")
_CHANGED = frozenset({"start", "begin"})
_ENDED = frozenset({"stop", "quit", "cease", "give"})
_GROWN = frozenset({"come", "grow", "learn"})
_BORNE = frozenset({"stand", "bear", "abide", "tolerate"})
_FEELINGS = frozenset({"like", "love", "enjoy", "hate", "dislike", "trust"})
_TRAILING = (
    (re.compile(r",? (?:any ?-?more|any longer|again|instead)$", re.IGNORECASE), "change"),
    (re.compile(r",? (?:now|nowadays|these days)$", re.IGNORECASE), "now"),
    (re.compile(r",? (?:too|as well)$", re.IGNORECASE), "also"),
    (re.compile(r",? (?:at all|at the moment|currently|right now|very much|a lot|so much|lately)$", re.IGNORECASE), ""),
)
_SPAN = re.compile(
    r" for (?:over |about |almost |more than |nearly )?\w{1,20}(?: \w{1,20})? (?:day|week|month|year)s?$"
    r"|(?<=\w\w\w) (?:[0-9]{1,2}|[a-z]{3,9}) (?:month|year)s?$"
    r"| since .{1,60}$"
)
_DATES = frozenset({Slot.BIRTHDAY, Slot.BIRTH_YEAR})
_NO_VERB = listed("verbs.no_third_person")
# Verbs that express the form of a relationship.
_MANNERS = {"date": "dating", "see": "dating", "marry": "married"}


@dataclass(frozen=True, slots=True)
class PhraseMeaning:
    """A claim without a subject. `is_kept`: it always lasts; `say`: its wording, if it differs from the original."""

    claim: Claim
    is_kept: bool = True
    say: str = ""


@dataclass(frozen=True, slots=True)
class Plain:
    """A predicate in its plain form: "live in Rome". `is_change`: it tells a change: "now lives", "started to live"."""

    text: str
    form: VerbForm
    is_denied: bool = False
    is_change: bool = False
    time: Tense = Tense.NOW


@dataclass(frozen=True, slots=True)
class _Phrase:
    """One phrase; `given`: the other fields of its entry in the file."""

    slot: Slot
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None
    given: Mapping[str, Any]

    def is_in(self, key: str, form: VerbForm) -> bool:
        """Whether the entry allows this form of the verb; by default all forms count, except WOULD."""
        return (
            form.value in self.given[key].split() if key in self.given else key == "form" or form is not VerbForm.WOULD
        )


# ── the file ─────────────────────────────────────────────────────────────────────────────────────


def _book() -> Mapping[str, Any]:
    return data_in(__package__, "english.toml")


@cache
def _words() -> dict[str, str]:
    """The expansions of names in braces: from the file, and combined from several lists."""
    return {
        **_book()["words"],
        "v": "(?P<v>.+)",
        "partners": PARTNERS,
        "kin": KIN,
        "before_kin": _any(words.BEFORE_PERSONS),
        "before_partners": _any(words.BEFORE_PERSONS - _NO_MORE),
        "no_more": _any(_NO_MORE),
        "pets": PETS,
        "plural_pets": _any(words.PLURAL_PETS),
        "diets": _any(listed("body.diets")),
        "had_by": _any(by_word("body.had_by")),
    }


@cache
def _listed(name: str) -> str:
    """A pattern for any word or phrase of a list, or a table word with one of its words nearby."""
    written = written_list(name)
    if isinstance(written, dict):
        ways = (
            rf"{re.escape(word)}(?=(?: [^\s,]+){{0,{_NEAR - (word in _NEARER)}}}? (?:{_any(near)})(?![\w-]))"
            for word, near in tabled(name).items()
        )
        return f"(?:{'|'.join(ways)})"
    if "," in written:
        return f"(?:{_any(' '.join(each) for each in phrases_listed(name))})"
    return f"(?:{_any(listed(name))})"


def compiled(written: str) -> re.Pattern[str]:
    while found := _WORD.search(written):
        written = written[: found.start()] + f"(?:{_words()[found[1]]})" + written[found.end() :]
    return re.compile(_LIST.sub(lambda name: _listed(name[1]), written), re.IGNORECASE)


@cache
def _phrases() -> tuple[_Phrase, ...]:
    return tuple(
        _Phrase(Slot(each["slot"]), compiled(way), compiled(each["unless"]) if "unless" in each else None, each)
        for each in _book()["phrase"]
        for way in each["is"]
    )


@cache
def _aliases() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((compiled(f"(?:{said})(?= )"), plain) for said, plain in _book()["plain"].items())


# ── the meaning of a predicate ───────────────────────────────────────────────────────────────────


def meaning_of(predicate: Predicate) -> PhraseMeaning | None:
    plain = plain_of(predicate)
    short = _aliased(_SPAN.sub("", without_dates(plain.text)) or plain.text)
    for phrase in _phrases():
        if not phrase.is_in("form", plain.form) or ("flips" in phrase.given and not plain.is_denied):
            continue
        text = plain.text if phrase.slot in _DATES else short
        match = phrase.pattern.fullmatch(text)
        if match and not (phrase.unless and phrase.unless.search(text)):
            return _read(phrase, match.groupdict(), plain)
    return _habit(plain, short)


def _read(phrase: _Phrase, found: Mapping[str, str | None], plain: Plain) -> PhraseMeaning:
    said, topic, given = found.get("v") or "", found.get("t") or "", phrase.given
    # "Speaks no Spanish" is a denial; "has no children" is a number.
    is_none = said.lower().startswith("no ") and phrase.slot is not Slot.FAMILY_SIZE
    said = said[3:] if is_none else said
    # "Used to" stays in the past, whatever the verb after it means.
    is_past = plain.time is Tense.PAST and plain.is_denied and plain.is_change
    is_affirmed = "flips" in given or plain.is_denied == ("over" in given)
    like = "does not like" if plain.is_denied else "likes"
    claim = Claim(
        slot=phrase.slot,
        topic=_MANNERS.get(topic.lower(), topic),
        value=said,
        polarity=is_affirmed != is_none,
        time=plain.time if is_past else Tense(given.get("time", plain.time)),
        is_change=plain.is_change or not {"over", "change"}.isdisjoint(given),
    )
    say = given.get("say", "").format(v=said, near=found.get("near") or "", like=like)
    return PhraseMeaning(claim, phrase.is_in("kept", plain.form), say)


_VERB_NO = re.compile(r"(\w{1,30}) no (?=\w)")


def _habit(plain: Plain, short: str) -> PhraseMeaning | None:
    first = short.split(" ", 1)[0]
    is_said = plain.form in {VerbForm.NOW, VerbForm.USED} or plain.is_change or plain.is_denied
    if (
        not is_said
        or first in _NO_VERB
        or not first.isalpha()
        or plain.form in {VerbForm.CAN, VerbForm.WOULD, VerbForm.WILL}
    ):
        return None
    none = _VERB_NO.match(short)
    said = f"{none[1]} {short[none.end() :]}" if none else short
    polarity = plain.is_denied == bool(none)
    claim = Claim(slot=Slot.HABIT, value=said, polarity=polarity, is_change=plain.is_change, time=plain.time)
    return PhraseMeaning(claim, is_kept=False)


def plain_of(predicate: Predicate) -> Plain:
    """The plain form of "no longer lives", "started smoking", "became a nurse", with what the other words said."""
    verb, form = predicate.verb, predicate.form
    rest, marks = without_tail(shown(predicate.rest))
    marks |= predicate.beside
    is_change = predicate.is_over or form is VerbForm.USED
    is_denied = predicate.is_denied or is_change
    time = _time_of(form, verb, rest, is_denied=is_denied)
    if verb == "become" or (verb == "turn" and rest.startswith("into ")):
        verb, rest, is_change, time = "be", rest.removeprefix("into "), True, Tense.NOW
    elif begun := _begun_or_ended(verb, rest):
        verb, rest, is_ended = begun
        is_denied, is_change, time, form = is_denied != is_ended, True, Tense.NOW, VerbForm.NOW
    if marks & {"formerly", "previously"}:
        is_denied, is_change, time = True, True, Tense.PAST
    is_change = is_change or "change" in marks or ("now" in marks and "also" not in marks)
    verb = f"can {verb}" if form is VerbForm.CAN and verb not in _BORNE else verb
    return Plain(f"{verb} {rest}".strip(), form, is_denied, is_change, time)


def without_tail(rest: str) -> tuple[str, set[str]]:
    """The text without "any more", "now", "too" at its end, and the meaning of those words."""
    marks: set[str] = set()
    for _ in _TRAILING:
        for pattern, mark in _TRAILING:
            if match := pattern.search(f" {rest}", max(0, len(rest) - 20)):
                rest, marks = f" {rest}"[: match.start()].strip(), marks | {mark}
    return rest, marks


def _begun_or_ended(verb: str, rest: str) -> tuple[str, str, bool] | None:
    """ "start smoking", "come to love", "quit smoking", "give up smoking": the main verb, its object, and whether it is
    over."""
    first, _, behind = rest.partition(" ")
    if verb in _ENDED and first == "up":
        first, _, behind = behind.partition(" ")
    if (gerund := base_of_gerund(first)) and verb in _CHANGED | _ENDED:
        return gerund, behind, verb in _ENDED
    meant, _, behind = behind.partition(" ")
    is_begun = meant and (verb in _CHANGED or (verb in _GROWN and meant in _FEELINGS))
    return (meant, behind, False) if first == "to" and is_begun else None


def _time_of(form: VerbForm, verb: str, rest: str, *, is_denied: bool) -> Tense:
    if form in {VerbForm.PAST, VerbForm.USED}:
        return Tense.PAST
    is_since = is_denied or verb == "be" or re.search(r"(?:^| )(?:for|since) ", rest)
    return Tense.PAST if form is VerbForm.PERFECT and not is_since else Tense.NOW


def _aliased(text: str) -> str:
    had_by = by_word("body.had_by")
    so = re.fullmatch(r"be (?:an? )?(?:type \w{1,3} )?([\w-]+)", text, re.IGNORECASE)
    if so and so[1].lower() in had_by:
        return f"have {had_by[so[1].lower()]}"
    for said, plain in _aliases():
        if match := said.match(text):
            return plain + text[match.end() :]
    return text


# ── duration ─────────────────────────────────────────────────────────────────────────────────────


@cache
def _lasting(name: str) -> tuple[re.Pattern[str], ...]:
    """The patterns under a name. Those for names and dates are case-sensitive."""
    given = _book()["lasting"][name]
    if name == "exact":
        return (re.compile(given),)
    return tuple(compiled(each) for each in ([given] if isinstance(given, str) else given))


def _says(name: str, text: str) -> bool:
    return any(each.search(text) for each in _lasting(name))


_THINKING = listed("verbs.thinking")
_NO_LIFE = listed("verbs.of_no_life")
_OF_THIS = listed("grammar.of_this") - {"over", "up", "out", "off", "back", "away"}
_IN_YEARS = re.compile(r" in (?:\w+ ){0,2}(?:year|month|decade|week)s?$|abroad|married|children|kids")
_LONE = listed("verbs.lone")
_BY_HABIT = frozenset("get run eat drink go sleep call see".split())
_NO_DEED = _THINKING | {"be", "have"}
# No object, or an unnamed person.
_POINTING = re.compile(r"^$|\b(?:it|them|him|that|em)\b")
_SPANNING = frozenset({VerbForm.PERFECT, VerbForm.LONG, VerbForm.PAST, VerbForm.NOW})
_HABITUAL = frozenset({VerbForm.NOW, VerbForm.GOING, VerbForm.LONG})
_AHEAD = frozenset({VerbForm.NOW, VerbForm.GOING, VerbForm.WILL})
_DONE = frozenset({VerbForm.PAST, VerbForm.PERFECT})


def lasts(predicate: Predicate, text: str, *, is_user: bool) -> bool:
    """Whether the statement holds for long. `text`: the words after the verb, with time and frequency."""
    form = predicate.form
    said = f"{form.value} {'not ' if predicate.is_denied else ''}{predicate.verb} {text}".rstrip()
    if not text and predicate.verb not in _LONE:
        return False
    if any(each.match(said) for each in _lasting("sure")):
        return True
    at = {name for name in ("now", "code", "often", "long", "dated", "ago", "exact") if _says(name, text)}
    at = at | {"often"} if text and predicate.often not in {"", "mostly", "generally"} else at
    if is_barred(predicate, text) or _is_passing(form, at):
        return False
    is_known = not _is_of_an_hour(predicate, text) and any(
        each.match(said) for each in (*_lasting("yes"), *(() if is_user else _lasting("theirs")))
    )
    return is_known or (form is not VerbForm.WOULD and _is_timed(predicate, text, at))


def _is_of_an_hour(predicate: Predicate, text: str) -> bool:
    """ "Did not finish" is about one occasion, "never finished" about a life."""
    is_lately = predicate.form is VerbForm.PERFECT and not _IN_YEARS.search(text)
    return predicate.is_denied and not predicate.is_never and (predicate.form is VerbForm.PAST or is_lately)


def _is_passing(form: VerbForm, at: Set[str]) -> bool:
    is_long = at & {"long", "often"} or form is VerbForm.USED or ("ago" in at and form in _DONE)
    return ("now" in at and not is_long) or at & {"code", "often"} == {"code"}


def is_barred(predicate: Predicate, text: str) -> bool:
    """Whether it is an idiom or only refers to the chat, although it reads like a fact."""
    return _says("no", f"{predicate.form.value} {predicate.verb} {text}")


def _is_timed(predicate: Predicate, text: str, at: Set[str]) -> bool:
    """Whether a time or a name makes it worth keeping, whatever the verb: "did ballet until sixteen"."""
    verb, form, first = predicate.verb, predicate.form, text.split(" ", 1)[0].lower()
    is_off = predicate.is_over or (form is VerbForm.GOING and "dated" in at)
    if first in _OF_THIS or _POINTING.search(text) or (predicate.is_denied and not is_off):
        return False
    if is_off or verb in _NO_LIFE - (_BY_HABIT if "often" in at else {"be"} if "long" in at else set()):
        return is_off and verb not in _NO_LIFE - {"see"}
    return _is_worth_its_time(predicate, first, at)


def _is_worth_its_time(predicate: Predicate, first: str, at: Set[str]) -> bool:
    verb, form = predicate.verb, predicate.form
    if "long" in at and form in _SPANNING and first not in {"since", "for"}:
        return True
    if at & {"often", "dated"} and form in _HABITUAL:
        return verb not in _THINKING - _BY_HABIT
    if ("dated" in at and form in _AHEAD) or ("ago" in at and form in _DONE):
        return verb not in {"try", "want"}
    is_plain = form is VerbForm.NOW and verb not in _NO_DEED and first not in {"the", "to", "with", "at"}
    return at & {"exact", "now"} == {"exact"} and (form in _DONE or is_plain)


@cache
def spellings(name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((compiled(said), plain) for said, plain in _book()[name].items())


@cache
def questions() -> tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...]:
    """Questions that a short answer completes: the question, allowed answers, and the resulting sentence."""
    asked = _book()["asked"]
    return tuple((compiled(each["question"]), compiled(each.get("answer", ".{2,60}")), each["says"]) for each in asked)


@cache
def owned_topics() -> Mapping[str, tuple[Slot, str]]:
    """Maps a possessed noun to its slot and wording."""
    owned = _book()["owned"].items()
    return {topic: (Slot(slot), said) for slot, (topics, said) in owned for topic in topics.split(", ")}
