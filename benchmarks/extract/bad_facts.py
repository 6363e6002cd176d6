"""What a bad model writes down of a message: some of it true, most of it as bad models get it wrong.

In: what a model sees (`Seen`) and a source of chance. Out: sentences. Nothing here knows what is done about them.
Start at `sentences`.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.extract.tables import PAST_FORMS

_CLAUSE_ENDS = re.compile(r"[.!?;\n]|, | but | and | because | so | - |\*|\"|“|”|\(\(|\)\)|:")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_EXAMPLE = re.compile(r"\"(User[^\"\n]{4,80})\"")
_RULE_LINE = re.compile(r"^[- ]*([A-Z][^\n]{20,140})$", re.MULTILINE)
_MOST_CHARS = 4_000

_OPENINGS = {
    "i'm": "User is",
    "im": "User is",
    "i've": "User has",
    "ive": "User has",
    "i'd": "User would",
    "i'll": "User will",
    "i": "User",
    "we": "User",
    "we're": "User is",
    "we've": "User has",
    "my": "User's",
    "our": "User's",
}
_INSIDE = {"my": "their", "me": "them", "i": "they", "our": "their", "we": "they", "us": "them", "i'm": "they are"}
_STAY = frozenset(
    "can could will would was were had did got went may might must should used has never just really always also "
    "still only often usually quite sometimes kind sort literally basically probably actually".split()
)
_IRREGULAR = {
    "am": "is",
    "have": "has",
    "do": "does",
    "don't": "does not",
    "dont": "does not",
    "go": "goes",
    "haven't": "has not",
}
_ADVERBS = frozenset("just really always also still only often usually quite never literally basically finally".split())

_NAMES = ("Emily", "Jonas", "Kira", "Mr. Bennett", "Sofia", "Brandon", "Lucy")
_PLACES = ("New York", "London", "Toronto", "a small town in Ohio", "California")
_JOBS = ("software engineer", "teacher", "nurse", "student", "marketing manager")
_PETS = ("a golden retriever named Max", "two cats", "a dog named Luna", "a goldfish called Bubbles")
_GUESSES = (
    "User is a woman in her {n}s",
    "User is male",
    "User is {n} years old",
    "User is American",
    "User is a native English speaker",
    "User is probably in their twenties",
    "User is white",
    "User is heterosexual",
    "User is Christian",
)
_UNKNOWNS = (
    "User's name is not mentioned",
    "User's age is unknown",
    "User did not specify their location",
    "User has not provided any personal information",
    "No information about User's job",
    "User's hobbies: N/A",
    "None",
)
_ACTIONS = (
    "User said hello",
    "User greeted the assistant",
    "User asked a question",
    "User is having a conversation with an AI",
    "User thanked the assistant",
    "User wants the assistant to respond",
    "User is talking to {assistant}",
    "User expressed an opinion",
    "User mentioned something about their day",
    "User responded to the previous message",
    "User sent a short message",
)
_IMPRESSIONS = (
    "User seems friendly",
    "User appears to be curious",
    "User has a good sense of humor",
    "User is polite",
    "User communicates informally",
    "User might be lonely",
    "User is an emotional person",
    "User values honesty",
    "User enjoys deep conversations",
    "User is tech-savvy",
)
_ABOUT_ASSISTANT = (
    "{assistant} is a helpful assistant",
    "The assistant's name is {assistant}",
    "{assistant} is User's friend",
    "User's assistant is called {assistant}",
    "{assistant} enjoys talking with User",
    "The AI is warm and curious",
)
_AS_ASSISTANT = (
    "User's name is {assistant}",
    "User is {assistant}",
    "User is called {assistant}",
    "User is a helpful assistant",
    "User is an AI language model",
)
_LEAKS = (
    "User is a helpful assistant that extracts facts",
    "Extract only facts that the user states",
    "User must answer with JSON and nothing else",
    "User keeps a notebook about one person",
    "The output must be a JSON array",
)
_FOREIGN = ("Der Nutzer heißt {word}", "L'utilisateur aime {word}", "El usuario vive en {word}")
_QUALIFIERS = (
    " with two dogs",
    " since 2015",
    " and has three children",
    " together with {name}",
    ", which makes them very happy",
    " near {place}",
    " and works as a {job}",
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What stands in the question: the message, the turns before it, who is who, and the instructions."""

    message: str
    before: tuple[str, ...] = ()
    assistant: str = "Assistant"
    instructions: str = ""


def sentences(seen: Seen, chance: random.Random) -> list[str]:
    """Everything at once, in no order: the good with the bad."""
    found: list[str] = []
    for how_often, kind in _KINDS:
        if chance.random() < how_often:
            found += kind(seen, chance)
    chance.shuffle(found)
    return found


def stated(seen: Seen, _: random.Random) -> list[str]:
    """Each "I …" and "My …", taken at its word: statements, but also questions, requests, moods, quotes and parts."""
    return list(_retold(seen.message))


def _retold(text: str) -> Iterator[str]:
    for clause in _CLAUSE_ENDS.split(text[:_MOST_CHARS]):
        words = clause.replace("’", "'").split()
        start = next((at for at, word in enumerate(words) if word.lower() in _OPENINGS), None)
        if start is not None and len(words) - start >= 3:
            yield _third_person(words[start:])


def _third_person(words: Sequence[str]) -> str:
    opening = _OPENINGS[words[0].lower()]
    rest = [_INSIDE.get(word.lower(), word) for word in words[1:]]
    return f"{opening} {' '.join(_conjugated(rest) if opening == 'User' else rest)}".rstrip(",")


def _conjugated(words: list[str]) -> list[str]:
    at = 1 if words[0].lower() in _ADVERBS and len(words) > 1 else 0
    verb = words[at].lower()
    if verb in _IRREGULAR:
        words[at] = _IRREGULAR[verb]
    elif not (verb in _STAY or verb in PAST_FORMS or verb.endswith(("ed", "n't", "s"))):
        words[at] = f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeou" else _with_s(verb)
    return words


def _with_s(verb: str) -> str:
    return f"{verb}es" if verb.endswith(("ch", "sh", "o", "x", "ss")) else f"{verb}s"


def _flipped(seen: Seen, _: random.Random) -> list[str]:
    """Polarity is lost, or turned round."""
    drops = (" not ", " never ", "n't ", " no longer ", " no ", " can't ", " cannot ")
    found = []
    for fact in _retold(seen.message):
        flat = fact
        for drop in drops:
            flat = flat.replace(drop, " ")
        found.append(flat if flat != fact else fact.replace(" is ", " is not ").replace(" likes ", " dislikes "))
    return found


def _as_present(seen: Seen, _: random.Random) -> list[str]:
    found = []
    for fact in _retold(seen.message):
        now = fact.replace(" used to be ", " is ").replace(" was ", " is ").replace(" had ", " has ")
        now = re.sub(r"\b(liv|work|lov|lik|smok|play)ed\b", r"\1es", now)
        now = re.sub(r" used to (\w+)", lambda verb: f" {_with_s(verb.group(1))}", now)
        if now != fact:
            found.append(now)
    return found


def _as_own(seen: Seen, _: random.Random) -> list[str]:
    """What is true of others becomes true of the user: "my sister lives in Oslo", "she's a nurse", "you grew up …"."""
    own = re.findall(
        r"\b(?:[Mm]y|[Oo]ur) \w+(?: [A-Z]\w+)? ((?:is|lives|works|loves|likes|has|plays|was|used to)\b[^.!?,\n]{3,80})",
        seen.message[:_MOST_CHARS],
    )
    others = re.findall(
        r"\b(?:[Ss]he|[Hh]e|[Tt]hey) ((?:is|was|has|likes|said|lives)\b[^.!?,\n]{3,80})", seen.message[:_MOST_CHARS]
    )
    yours = re.findall(r"\b[Yy]ou (?:are|were) ([^.!?,\n]{3,80})", seen.message[:_MOST_CHARS])
    return [f"User {each}" for each in (*own, *others)] + [f"User is {each}" for each in yours]


def _from_context(seen: Seen, _: random.Random) -> list[str]:
    """What the assistant said of itself, and what was said long before."""
    return [fact for text in seen.before for fact in _retold(text)]


def _asked_about(seen: Seen, chance: random.Random) -> list[str]:
    topic = " ".join(_WORD.findall(seen.message)[-5:]) or "the weather"
    return [f"User asked about {topic}", f"User is interested in {topic}", f"User wants to know {topic}"][
        : chance.randint(1, 3)
    ]


def _invented(_: Seen, chance: random.Random) -> list[str]:
    name, place, job = chance.choice(_NAMES), chance.choice(_PLACES), chance.choice(_JOBS)
    pool = [
        f"User's name is {name}",
        f"User lives in {place}",
        f"User works as a {job}",
        f"User has {chance.choice(_PETS)}",
        f"User has a sister named {name}",
        f"User moved to {place} in {chance.randint(1990, 2024)}",
        f"User earns {chance.randint(20, 200)},000 dollars a year",
        f"User is allergic to {chance.choice(('peanuts', 'cats', 'gluten'))}",
        f"User's favorite color is {chance.choice(('blue', 'green', 'purple'))}",
    ]
    return chance.sample(pool, chance.randint(1, 3))


def _embellished(seen: Seen, chance: random.Random) -> list[str]:
    """True as it begins, and then it goes on."""
    values = {"name": chance.choice(_NAMES), "place": chance.choice(_PLACES), "job": chance.choice(_JOBS)}
    return [fact + chance.choice(_QUALIFIERS).format(**values) for fact in _retold(seen.message)]


def _mangled(seen: Seen, chance: random.Random) -> list[str]:
    """Another number, another name."""
    found = []
    for fact in _retold(seen.message):
        other = re.sub(r"\d+", lambda number: str(int(number.group()[:9]) + chance.randint(1, 9)), fact)
        names = [word for word in _WORD.findall(fact)[1:] if word[:1].isupper() and word != "User"]
        if names:
            other = other.replace(chance.choice(names), chance.choice(_NAMES))
        if other != fact:
            found.append(other)
    return found


def _not_as_user(seen: Seen, chance: random.Random) -> list[str]:
    """True facts with another subject: "I …", "You …", "They …", or a name."""
    who = chance.choice(("I", "You", "They", "He", "She", "The person", seen.assistant))
    return [fact.replace("User", who, 1) for fact in _retold(seen.message)]


def _leaked(seen: Seen, chance: random.Random) -> list[str]:
    """The instructions themselves: their rules, and the examples taken for facts."""
    examples = _EXAMPLE.findall(seen.instructions[:20_000])
    rules = _RULE_LINE.findall(seen.instructions[:20_000])
    pool = [*examples, *rules, *_LEAKS]
    return chance.sample(pool, min(len(pool), chance.randint(1, 3)))


def _one_of(texts: Sequence[str]) -> "Callable[[Seen, random.Random], list[str]]":
    def some(seen: Seen, chance: random.Random) -> list[str]:
        chosen = chance.sample(texts, chance.randint(1, min(2, len(texts))))
        return [each.format(assistant=seen.assistant, n=chance.choice((20, 30, 40))) for each in chosen]

    return some


def _foreign(seen: Seen, chance: random.Random) -> list[str]:
    words = _WORD.findall(seen.message[:_MOST_CHARS]) or ["Paris"]
    return [chance.choice(_FOREIGN).format(word=chance.choice(words))]


def _parroted(seen: Seen, _: random.Random) -> list[str]:
    """The message itself, with "User" before it."""
    said = " ".join(seen.message.split())[:300]
    return [f"User: {said}", f'User said "{said[:80]}"', f"User {said[:120]}"]


# How often each kind of answer is in an answer, and what it is.
_KINDS: "tuple[tuple[float, Callable[[Seen, random.Random], list[str]]], ...]" = (
    (0.85, stated),
    (0.30, _flipped),
    (0.35, _as_present),
    (0.40, _as_own),
    (0.40, _from_context),
    (0.35, _asked_about),
    (0.35, _invented),
    (0.25, _embellished),
    (0.25, _mangled),
    (0.15, _not_as_user),
    (0.25, _leaked),
    (0.15, _parroted),
    (0.10, _foreign),
    (0.35, _one_of(_ACTIONS)),
    (0.35, _one_of(_IMPRESSIONS)),
    (0.30, _one_of(_GUESSES)),
    (0.25, _one_of(_UNKNOWNS)),
    (0.20, _one_of(_ABOUT_ASSISTANT)),
    (0.20, _one_of(_AS_ASSISTANT)),
)
