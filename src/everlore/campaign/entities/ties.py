"""Relationships between what is named, read out of sentences without a model (G6).

In: a text and the known names. Out: `FoundRelationship`s with type, direction, the sentence that states them, and a
confidence. Questions, denials, suppositions and reports of what somebody claims tie nobody.

Each name is replaced by a mark, what only describes it is taken away, and what is left is compared with the ways in
which a relationship is said (`relations`). Start at `ties_in`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest

from everlore.campaign.entities.forms import form_of, is_title
from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.entities.moods import is_denied, is_stated, takes_back
from everlore.campaign.entities.relations import NOUNS, PHRASES, SUFFERED, SYMMETRIC, TOGETHER, TURNED, VERBS
from everlore.campaign.entities.runs import runs_in
from everlore.campaign.entities.text import sentence_spans
from everlore.campaign.entities.words import is_no_name, listed
from everlore.domain.campaign import EntityKind

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = rf"{_OPEN}(\d+(?:,\d+)*){_CLOSE}"
_ADVERBS = (
    r"(?:(?:now|still|also|always|just|both|long|since|himself|herself|once|even|really|actually|secretly|currently|"
    r"already|only|truly|\w+ly) ){0,3}"
)
_ADJECTIVES = r"(?:(?!(?:of|and|or|but|not|no|like|as|to|than|hardly|almost)\b)[a-z-]+ ){0,3}"
_NOUN = "|".join(sorted(NOUNS, key=len, reverse=True))
_BE = r"(?:is|was|are|were|'s|has been|became|remains)"
_DO = r"(?:(?:'s been|'s|has been|had been|have been|has|have|had|is|was|are|were) )?"
_SAYS = (
    r"(?:says|said|asks|asked|replies|replied|answers|answered|tells|told|whispers|whispered|mutters|muttered|"
    r"adds|added)"
)
# "Leads Tam to the door" rules nobody, and "made Tam laugh" built nothing.
_UNLESS = {
    "leads": r"(?! (?:to|through|into|away|out(?! of)|down|up|back|across|in|inside|off|over|past|along|towards?)\b)",
    "made": r"(?=$|[.,;:!?\"]| (?:in|at|for|with|from|out|by|on|when|while|and|during|before|after|of|;))",
}
_MOST_TIES = 50
# What is longer is no sentence.
_MOST_SENTENCE = 800


@dataclass(frozen=True, slots=True)
class FoundRelationship:
    """`source` … `target`, as in "Ilka" "sister of" "Tam". Ids are those of the index, or empty."""

    source: str
    type: str
    target: str
    evidence: str
    confidence: float
    source_id: str = ""
    target_id: str = ""

    @property
    def is_symmetric(self) -> bool:
        return self.type in SYMMETRIC


@dataclass(frozen=True, slots=True)
class _Name:
    start: int
    end: int
    name: str
    id: str = ""
    has_article: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    """Numbers of names; `start` and `end` of the words that say it, in the marked sentence."""

    source: str
    type: str
    target: str
    sure: float
    start: int
    end: int


def ties_in(text: str, index: MentionIndex | None = None) -> tuple[FoundRelationship, ...]:
    """With an index, what it knows goes by its name and id; other names go as they are written."""
    text = text.replace(_OPEN, " ").replace(_CLOSE, " ")
    names = _names_in(text, index)
    speaker = _speaker(_marked(text, 0, len(text), names))
    found: dict[tuple[str, str, str], FoundRelationship] = {}
    spans = sentence_spans(text)
    before = ""
    for (start, end), after in zip_longest(spans, spans[1:]):
        if end - start > _MOST_SENTENCE or (after and takes_back(text[slice(*after)].lower())):
            continue
        evidence = " ".join(text[start:end].split())
        plain = _marked(text, start, end, names)
        before, plain = plain, _after(before, plain)
        for each in _in_sentence(plain, speaker, names):
            for tie in _ties(each, names, evidence):
                found.setdefault(_key(tie), tie)
    return tuple(found.values())[:_MOST_TIES]


def _after(before: str, plain: str) -> str:
    """ "Tam sold the ship. He betrayed Marr.": who begins a sentence is still meant in the next one."""
    first = re.match(_MARK, before)
    return re.sub(r"^(?:he|she|they)\b", first[0], plain) if first and "," not in first[1] else plain


def _key(tie: FoundRelationship) -> tuple[str, str, str]:
    ends = (tie.source_id or tie.source, tie.target_id or tie.target)
    first, second = sorted(ends) if tie.is_symmetric else ends
    return first, tie.type, second


def _ties(found: _Found, names: Sequence[_Name], evidence: str) -> Iterator[FoundRelationship]:
    """One for each of those who are named together."""
    for one in found.source.split(","):
        for other in found.target.split(","):
            source, target = names[int(one)], names[int(other)]
            if form_of(source.name).words == form_of(target.name).words or (source.id and source.id == target.id):
                continue
            tie = FoundRelationship(source.name, found.type, target.name, evidence, found.sure, source.id, target.id)
            if found.type in TURNED:
                tie = FoundRelationship(
                    target.name, TURNED[found.type], source.name, evidence, found.sure, target.id, source.id
                )
            yield tie


def _names_in(text: str, index: MentionIndex | None) -> list[_Name]:
    found = []
    if index is not None:
        by_id = {entry.known.id: entry.known.name for entry in index.directory.entries}
        found = [_Name(each.start, each.end, by_id[each.id], each.id) for each in index.find(text)]
    for run in runs_in(text):
        words = form_of(run.name).words
        is_taken = any(each.start < run.end and run.start < each.end for each in found)
        is_only_a_title = bool(run.article) and all(map(is_title, words))
        if not is_taken and words and not all(map(is_no_name, words)) and not is_only_a_title:
            found.append(_Name(run.start, run.end, run.name, "", run.article == "the"))
    return sorted(found, key=lambda each: each.start)


def _marked(text: str, start: int, end: int, names: Sequence[_Name]) -> str:
    """The sentence in small letters, with a mark for each name, its article gone."""
    pieces, at = [], start
    for number, name in enumerate(names):
        if start <= name.start and name.end <= end and name.start >= at:
            pieces.append(text[at : name.start].lower())
            pieces.append(f"{_OPEN}{number}{_CLOSE}")
            at = name.end
    pieces.append(text[at:end].lower())
    plain = "".join(pieces).replace("’", "'").replace("“", '"').replace("”", '"').replace("*", "")
    plain = re.sub(rf"\b(?:the|a|an) (?={_OPEN})", "", " ".join(plain.split()))
    return _together(_undescribed(plain))


def _undescribed(plain: str) -> str:
    """ "A woman called Ilka", "the smith Ilka", "the ferryman, Tam": the name is enough."""
    plain = re.sub(rf"\b(?:a|an|the) (?:[a-z'-]+ ){{1,4}}(?:called|named|by the name of) (?={_OPEN})", "", plain)

    def bare(found: re.Match[str]) -> str:
        return "" if found[1] in listed("roles") or is_title(found[1]) or found[1] == "twins" else found[0]

    plain = re.sub(rf"\b(?:a|an|the) (?:[a-z'-]+ ){{0,2}}?([a-z'-]+),? (?={_OPEN})", bare, plain)
    # "Ilka the smith".
    return re.sub(rf"(?<={_CLOSE}) the ([a-z'-]+)(?= )", bare, plain)


def _together(plain: str) -> str:
    """ "Bram and Odette" is one mark with two numbers."""
    pattern = re.compile(rf"{_MARK}(?:(?:, {_MARK})+,)? (?:and|&) {_MARK}(?!'s)")
    acts = re.compile(rf" {_ADVERBS}{_DO}(?:{'|'.join((*VERBS, *PHRASES))}|is|was)\b")

    def one(found: re.Match[str]) -> str:
        # "Ilka serves Tam and Bram serves nobody" is two sentences.
        if _OPEN in plain[: found.start()] and acts.match(plain, found.end()):
            return found[0]
        return f"{_OPEN}{','.join(re.findall(r'[0-9]+', found[0]))}{_CLOSE}"

    return pattern.sub(one, plain)


def _speaker(plain: str) -> str:
    """Who says what stands in quotes: "I" and "my" are theirs."""
    after = re.search(rf"[\",] ?{_SAYS} {_MARK}|{_MARK} {_SAYS}\b", plain)
    return next((each for each in after.groups() if each), "") if after else ""


def _in_sentence(plain: str, speaker: str, names: Sequence[_Name]) -> Iterator[_Found]:
    if _OPEN not in plain:
        return
    told = _in_first_person(plain, speaker)
    yield from _appositions(told)
    if not is_stated(told):
        return
    for bare in dict.fromkeys((_resolved(_without_asides(told)), _without_relatives(_without_asides(told)))):
        yield from _in_clauses(bare, names)


def _in_clauses(bare: str, names: Sequence[_Name]) -> Iterator[_Found]:
    for found in (*_by_nouns(bare), *_by_verbs(bare), *_by_places(bare, names), *_by_two(bare)):
        before = re.split(r"[,;:]| but | and ", bare[: found.start])[-1]
        if not is_denied(before) and not is_denied(bare[found.start : found.end]):
            yield found


def _in_first_person(plain: str, speaker: str) -> str:
    if not speaker or '"' not in plain:
        return plain
    mark = f"{_OPEN}{speaker}{_CLOSE}"

    def theirs(found: re.Match[str]) -> str:
        said = re.sub(r"\bmy\b", f"{mark}'s", found[0])
        said = re.sub(r"\bi am\b|\bi'm\b", f"{mark} is", said)
        said = re.sub(r"\bi (live|serve|work|lead|rule|own|love|hate|belong|come|hail)\b", rf"{mark} \1s", said)
        return re.sub(r"\bi\b(?! )|\bi(?= [a-z]+ed\b)", mark, said)

    return re.sub(r'"[^"]*"?', theirs, plain)


def _appositions(plain: str) -> Iterator[_Found]:
    """ "Tam's sister Ilka", "Tam's sister, Ilka,", "Ilka, Tam's sister,", "Ilka, daughter of Tam,": said in passing,
    and taken for granted even by who asks."""
    for found in re.finditer(rf"{_MARK}'s {_ADJECTIVES}({_NOUN}),? {_MARK}", plain):
        yield _noun(found, source=3, noun=2, target=1, sure=0.85)
    for found in re.finditer(rf"{_MARK}, {_MARK}'s {_ADJECTIVES}({_NOUN})\b(?! {_OPEN})", plain):
        yield _noun(found, source=1, noun=3, target=2, sure=0.85)
    for found in re.finditer(rf"{_MARK}, (?:the |a |an )?{_ADJECTIVES}({_NOUN}) (?:of|to) {_MARK}", plain):
        yield _noun(found, source=1, noun=2, target=3, sure=0.85)


def _without_asides(plain: str) -> str:
    """What stands between commas after a name, and was read already or only describes it."""
    plain = re.sub(
        rf"({_MARK}), (?:the |a |an |{_MARK}'s )?(?:[a-z'-]+ ){{0,4}}[a-z'-]+(?: of {_MARK})?,(?= )", r"\1", plain
    )
    return re.sub(rf"{_MARK}'s {_ADJECTIVES}(?:{_NOUN}),? ({_MARK}),?", r"\2", plain)


def _without_relatives(plain: str) -> str:
    """ "Tam, who loves Ilka, serves Marr": Tam serves Marr."""
    return re.sub(rf"({_MARK}), (?:who|which) [^,;:.]{{1,80}},(?= )", r"\1", plain)


def _resolved(plain: str) -> str:
    """ "…, who owns": the last one named; "… and she is", ": he serves": who the sentence began with."""
    plain = re.sub(rf"({_MARK}),? who\b", r"\1 ; \1", plain)
    first = re.search(_MARK, plain)
    if first is None:
        return plain
    subject = first[0]
    later = re.compile(r"(?:(?<=and )|(?<=[:;,] )|(?<=why )|(?<=because ))(?:he|she|they|it)\b")
    head, tail = plain[: first.end()], plain[first.end() :]
    tail = later.sub(subject, tail)
    # "Ysolde rules Karth and serves the king": the second verb has the same subject.
    verbs = "|".join((*VERBS, *PHRASES))
    return head + re.sub(rf" and (?=(?:{_ADVERBS})(?:{verbs})\b)", f" ; {subject} ", tail)


def _by_nouns(plain: str) -> Iterator[_Found]:
    a = rf"(?:the |a |an |one of the )?{_ADJECTIVES}"
    for found in re.finditer(rf"{_MARK} ?{_BE} {_ADVERBS}{a}({_NOUN})s? (?:of|to|for|in) {_MARK}", plain):
        yield _noun(found, source=1, noun=2, target=3)
    for found in re.finditer(rf"{_MARK} ?{_BE} {_ADVERBS}{_MARK}'s {_ADJECTIVES}({_NOUN})\b", plain):
        yield _noun(found, source=1, noun=3, target=2)
    for found in re.finditer(rf"{_MARK}'s {_ADJECTIVES}({_NOUN})s? {_BE} {_ADVERBS}{_MARK}(?!'s)", plain):
        yield _noun(found, source=3, noun=2, target=1)


def _by_verbs(plain: str) -> Iterator[_Found]:
    for pattern, type, is_suffered, sure in (*_verb_patterns(), *_phrase_patterns()):
        for found in pattern.finditer(plain):
            source, target = (found[2], found[1]) if is_suffered else (found[1], found[2])
            yield _Found(source, type, target, sure, found.start(), found.end())


_Pattern = tuple[re.Pattern[str], str, bool, float]


@cache
def _verb_patterns() -> tuple[_Pattern, ...]:
    """Each with its type, whether the second one does it, and how sure it is."""
    found: list[_Pattern] = []
    for verbs, type in VERBS.items():
        end = rf"(?:{verbs}) {_MARK}(?!'s){_UNLESS.get(type, '')}"
        does = rf"{_MARK} ?{_ADVERBS}{_DO}{_ADVERBS}(?:[a-z]+ed and |shot and )?{end}"
        found.append((re.compile(does), type, False, 0.85))
        # "Men from the Hand are …".
        found.append((re.compile(rf"from {_MARK} (?:is|are|was|were) {_ADVERBS}{end}"), type, False, 0.7))
    for verbs, type in SUFFERED.items():
        suffers = rf"{_MARK} {_BE} {_ADVERBS}(?:being |been )?{_ADVERBS}(?:{verbs}) (?:[a-z]+ ){{0,2}}by {_MARK}(?!'s)"
        found.append((re.compile(suffers), type, True, 0.85))
    return tuple(found)


@cache
def _phrase_patterns() -> tuple[_Pattern, ...]:
    found: list[_Pattern] = []
    for phrases, type in PHRASES.items():
        said = phrases.replace("is ", rf"(?:is|was|are|were|'s|has been|have been) {_ADVERBS}")
        found.append((re.compile(rf"{_MARK} ?{_ADVERBS}(?:{said}) {_MARK}(?!'s)"), type, False, 0.8))
    return tuple(found)


def _by_places(plain: str, names: Sequence[_Name]) -> Iterator[_Found]:
    for found in re.finditer(rf"{_MARK} {_ADVERBS}belong(?:s|ed)? to {_MARK}(?!'s)", plain):
        yield _belonging(found, names)
    for found in re.finditer(
        rf"{_MARK} ?(?:is|are|'s|was|were|stands|stood|sits) (?:in|on|at|inside|near|beneath|under) {_MARK}(?!'s)",
        plain,
    ):
        if all(_stays(names[int(each)]) for each in found[1].split(",")):
            yield _Found(found[1], "located in", found[2], 0.75, found.start(), found.end())


def _belonging(found: re.Match[str], names: Sequence[_Name]) -> _Found:
    """Things belong to somebody, people belong to a band."""
    is_thing = any(_stays(names[int(each)]) for each in found[1].split(","))
    base = _Found(found[1], "member of", found[2], 0.8, found.start(), found.end())
    return replace(base, source=found[2], type="owns", target=found[1]) if is_thing else base


def _stays(name: _Name) -> bool:
    """A place or a thing: where it is, it will be tomorrow."""
    kind = form_of(name.name).kind
    if kind in (EntityKind.LOCATION, EntityKind.ITEM):
        return True
    return kind is None and name.has_article


def _by_two(plain: str) -> Iterator[_Found]:
    said = "|".join(sorted(TOGETHER, key=len, reverse=True))
    for found in re.finditer(
        rf"{_OPEN}(\d+),(\d+){_CLOSE} (?:are|were|have been) {_ADVERBS}{_ADJECTIVES}({said})\b", plain
    ):
        yield _Found(found[1], TOGETHER[found[3]], found[2], 0.85, found.start(), found.end())


def _noun(found: re.Match[str], *, source: int, noun: int, target: int, sure: float = 0.9) -> _Found:
    return _Found(found[source], NOUNS[found[noun]], found[target], sure, found.start(), found.end())
