"""What each part of a sentence does: states, asks, requests, supposes, quotes.

In: a sentence's parts. Out: one mood for each, and whether what follows in the message is only made up or material to
work on ("pretend I'm a king. I live in a castle." states nothing).

Start at `moods_of`.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from everlore.language.lists import listed, phrases_listed
from everlore.learning.clauses.clause import Mood
from everlore.learning.clauses.splitting import Part, Sentence
from everlore.learning.clauses.tokens import lows
from everlore.learning.clauses.words import (
    ADVERBS,
    ASKING,
    ASKING_FOR,
    GREETINGS,
    INVERTING,
    MADE_UP,
    MATERIAL_ORDERS,
    ORDERS,
    PRETENDING,
    PRONOUNS,
    REPORTING,
    SELVES,
    WOULD,
)

_NEAR = 7
# Said of the whole message: it was no more than a joke, or a part that is played.
_JEST = re.compile(
    r"\B/s\b|\bjk\b|\bj/k\b|(?<!not )\b(?:kidding|joking)\b|\byeah,? right\b|\bsarcas(?![^.!?\n]{0,80}\?)|\bnot!\s*$"
    r"|\b(?:love|great|lovely|wonderful|brilliant|fantastic|perfect|amazing)\b[^\n]{0,200}🙄|\bas if\b|\bsuuure\b"
    r"|\boh,? (?:great|joy|wonderful|fantastic)\b|\bi just love (?:it when|how|when|waiting|being|getting)\b"
    r"|^\s{0,4}(?:yeah|yes|yea|ya|ok|okay),? (?:sure|right)\b,? (?:im|i'm|i am|i have|i've|and i)\b"
    r"|\bfrom the future\b|\bin your dreams\b|\bapril fools?\b",
    re.IGNORECASE,
)
_SHOUTED = re.compile(
    r"\bjust LOVE\b|\b[Oo]h,? sure\b|^\s{0,4}[Ss]ure, and I\b|^\s{0,4}(?:[Rr]ight|[Yy]e(?:s|ah)|[Ss]ure),? because\b"
    r"|\bI (?:really |absolutely |so )?LOVE (?:being|when|how|getting|having|sitting|waiting|working)\b"
)
# "How many apples do I have left?": what came before is a sum, and nobody's apples.
_SUM = re.compile(
    r"\bhow (?:many|much)\b[^?\n]{0,60}\b(?:left|remain|altogether|in total|do i have|have i got|now|each"
    r"|will i have|are there)\b",
    re.IGNORECASE,
)
_NUMERALS = re.compile(r"\b\d{1,6}\b")
# Who speaks so is not of this world.
_OLDEN = re.compile(
    r"\bmortals?\b|\bthee\b|\bthou\b|\bhath\b|\bm'?lord\b|\bmy liege\b|\bmilady\b|\bforsooth\b"
    r"|\b(?:i am|i'm|i have \w{2,12})\b[^.!?\n]{0,30}\b(?:hundred|thousand) (?:years|winters|moons)\b"
    r"|^as \w{2,20} the \w{3,20},? i\b"
    r"|\byour (?:majesty|highness|grace)\b"
    # Whoever begins by speaking to an officer or a ruler is on a stage.
    r"|\A\s{0,8}(?:aye,? )?(?:captain|commander|admiral|general|lieutenant|sergeant|sire),",
    re.IGNORECASE,
)
_WONDERS = re.compile(
    r"\b(?:elves|elf|elven|orcs?|goblins?|dwarves|dragons?|wizards?|sorcer\w{2,4}|vampires?|demons?|throne|realm"
    r"|kingdom|dungeon|crypt|sword|blade|potion|spell|tavern|castle|cloak|dagger|curse|blood oath|quest"
    r"|werewol\w{1,3}"
    r"|paladin|rogue|warlock|ranger|cleric|druid|mage|barbarian|sorceress)\b",
    re.IGNORECASE,
)
_ABOUT_WONDERS = re.compile(
    r"\b(?:games?|gaming|d&d|dnd|books?|movies?|films?|novels?|series|show|fantasy|read\w{0,3}|collect\w{0,3}|watch\w{0,3}"
    r"|visited|holiday|tour|larp\w{0,3}|cosplay\w{0,3}|miniatures?|campaign|players?)\b",
    re.IGNORECASE,
)
_IN_CHARACTER = re.compile(
    r"\bin[- ]character\b|\bmy (?:player )?character\b|\bplaying as\b|\bhypothetical|\blyrics:"
    r"|\bthe lyrics?\b"
    r"|\bin this (?:story|scenario|roleplay|rp|scene|game|au|universe|timeline|campaign|world|quest)\b"
    r"|\bin my (?:story|novel|book|dream|game|script)\b"
    r"|\bin the (?:book|movie|film|story|novel|show|game|song|series|play|scene|dream|riddle|joke)\b"
    r"|\bin (?:minecraft|skyrim|gta|the sims|sims|stardew|fortnite|roblox|wow|zelda|elden ring|baldur's gate)\b"
    r"|\bin (?:d&d|dnd|animal crossing|runescape|rp|game)\b|\bfor example\b|\be\.g\b|\bfor instance\b"
    r"|\bthe (?:hero|villain|protagonist|narrator) (?:says|said)\b"
    r"|\blet'?s (?:pretend|say|imagine|roleplay|role-play|suppose)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"\s{0,8}Dear (?:Sir|Madam|Mr|Mrs|Ms|Dr|Prof|Hiring|Team|Customer|Editor|Committee|All|Colleagues?|Professor)\b",
    re.IGNORECASE,
)
_SAID = listed("verbs.before_a_quote")
_HELPFUL_IFS = listed("talk.helpful_ifs")


def is_jest(text: str) -> bool:
    return _JEST.search(text) is not None or _SHOUTED.search(text) is not None


def is_sum(text: str) -> bool:
    return _SUM.search(text) is not None and len(_NUMERALS.findall(text)) > 1


def is_other_world(text: str) -> bool:
    """A part that is played without saying so: "I am Seraphine, I live beneath the lake. Speak, mortal."."""
    if _ABOUT_WONDERS.search(text):
        return False
    wonders = {each.lower() for each in _WONDERS.findall(text)}
    return len(wonders) > 1 or _OLDEN.search(text) is not None


def is_in_character(text: str) -> bool:
    return _IN_CHARACTER.search(text) is not None


def is_letter(text: str) -> bool:
    """A letter to somebody else, pasted to be looked at."""
    return _LETTER.match(text) is not None


def moods_of(sentence: Sentence, parts: Sequence[Part]) -> list[Mood]:
    moods: list[Mood] = []
    held: Mood | None = None
    asks_from = _first_asking(sentence, parts)
    for place, part in enumerate(parts):
        mood = _own_mood(part, parts[place - 1] if place else None)
        if asks_from is not None and place >= asks_from and mood is Mood.STATES and not _gives_reason(part):
            mood = Mood.ASKS
        if held is not None and mood is Mood.STATES and _hangs_on(part, held):
            mood = held
        if mood in {Mood.REQUESTS, Mood.QUOTES, Mood.SUPPOSES} and _reaches_on(part, mood):
            held = None if _is_reminder(part) else mood
        elif mood is Mood.STATES:
            held = None
        moods.append(mood)
    return moods


_REMINDING = frozenset(phrases_listed("talk.reminding"))
_TEXTS = listed("play.texts")


def introduces_text(before: Part | None, part: Part) -> bool:
    """ "Here's my first line: …": what follows the colon is a text to look at."""
    return before is not None and ":" in part.lead and not _TEXTS.isdisjoint(lows(before.tokens))


def announces_text(line: str) -> bool:
    """ "Here is the article:" at the end of a line."""
    return line.rstrip().endswith(":") and not _TEXTS.isdisjoint(line.lower().rstrip(": ").split())


def opens_fiction(part: Part, mood: Mood) -> Mood | None:
    """The mood of all that follows in the message, where this part asks to make something up or to work on a text."""
    words = lows(part.tokens)
    near = words[:_NEAR]
    if mood in {Mood.REQUESTS, Mood.ASKS} and not MATERIAL_ORDERS.isdisjoint(near):
        return Mood.QUOTES
    if not PRETENDING.isdisjoint(words[:4]) and mood in {Mood.REQUESTS, Mood.ASKS, Mood.SUPPOSES}:
        return Mood.SUPPOSES
    if mood is Mood.STATES and tells_dream(part):
        return Mood.SUPPOSES
    # "Write a poem for my grandson, he's turning 5": whom it is for is real.
    is_gift = any(pair in {("for", "my"), ("for", "our")} for pair in pairwise(words))
    if mood in {Mood.REQUESTS, Mood.ASKS} and not MADE_UP.isdisjoint(words) and not is_gift:
        return Mood.SUPPOSES
    return None


def tells_dream(part: Part) -> bool:
    """ "I had a strange dream last night", "dreamt that …": what comes next was dreamt, up to the waking."""
    words = lows(part.tokens)
    is_had = "had" in words[:6] and not {"dream", "nightmare", "dreams"}.isdisjoint(words[2:9])
    return is_had or not {"dreamt", "dreamed"}.isdisjoint(words[:4])


def wakes(part: Part) -> bool:
    return not {"woke", "awoke"}.isdisjoint(lows(part.tokens)[:4])


def _first_asking(sentence: Sentence, parts: Sequence[Part]) -> int | None:
    """From which part on it is a question. Without any word that asks, "I live in Ohio?" asks as a whole."""
    for place, part in enumerate(parts):
        if asks(part) and not (place and _is_relative(part)):
            return None if _is_mention(part) and place + 1 < len(parts) else place
        if place and sentence.asks and part.tokens[0].low in INVERTING | ASKING | ASKING_FOR and not _is_relative(part):
            return place
    return 0 if sentence.asks else None


def _is_mention(part: Part) -> bool:
    """ "Did I mention (that) …": what comes next is told."""
    words = tuple(word for word in lows(part.tokens) if word not in {"you", "that", "already", "ever"})
    return words in {("did", "i", "mention"), ("did", "i", "tell"), ("did", "i", "say"), ("have", "i", "mentioned")}


_MILESTONES = listed("life.milestones")


def asks(part: Part) -> bool:
    words = lows(part.tokens)
    if not words:
        return False
    after = words[1] if len(words) > 1 else ""
    if words[0] in ASKING:
        return (
            len(words) == 1
            or after in INVERTING
            or after in {"about", "else", "kind", "sort", "type", "color", "many", "much", "old", "long", "far", "come"}
        )
    if words[:2] == ("did", "my") and words[2:3] and words[2] in _MILESTONES:
        return False
    if words[0] == "had" and after in {"the", "my", "this", "these", "that"}:
        # "Had the best weekend": who had it is left out.
        return False
    if words[0] in INVERTING:
        return (
            after in PRONOUNS | {"your", "my", "there", "anyone", "anybody", "this", "that", "these", "the"}
            and words[0] != "am"
        ) or (words[1:2] == ("not",) and words[2:3] != () and words[2] in PRONOUNS)
    return (words[0] in {"you", "yours", "wbu", "hbu"} and len(words) == 1) or words[:2] == ("any", "idea")


def _is_relative(part: Part) -> bool:
    """ "… a friend who is a chef": asks nothing."""
    words = lows(part.tokens[:3])
    return words[0] in {"who", "which", "where", "when", "whose"} and (
        len(words) < 3 or words[2] not in PRONOUNS | {"your"}
    )


def _gives_reason(part: Part) -> bool:
    return bool({"because", "since", "as"}.intersection(part.lead))


def _hangs_on(part: Part, held: Mood) -> bool:
    if held is Mood.REQUESTS:
        return (
            not {"because", "since", "but", ",", "as", "-", "–", "—", ":"}.intersection(part.lead[:2])
            or "where" in part.lead
        )
    return not (held is Mood.QUOTES and "but" in part.lead)


def _is_reminder(part: Part) -> bool:
    """ "Remember that …", "keep in mind …", "don't forget …": what comes next is told, and meant to be kept."""
    words = tuple(word for word in lows(part.tokens) if word not in {"please", "just", "always", "also", "that"})
    return words in _REMINDING


def _reaches_on(part: Part, mood: Mood) -> bool:
    if mood is Mood.SUPPOSES:
        return "if" in part.lead and _HELPFUL_IFS.isdisjoint(lows(part.tokens))
    return True


def _own_mood(part: Part, before: Part | None) -> Mood:
    words = lows(part.tokens)
    if not words:
        return Mood.GREETS
    if _is_reported(part, before):
        return Mood.QUOTES
    if _is_supposed(part, words, before):
        return Mood.SUPPOSES
    if asks(part) and not (before is not None and _is_relative(part)):
        return (
            Mood.REQUESTS
            if words[:2] in {("can", "you"), ("could", "you"), ("would", "you"), ("will", "you")}
            else Mood.ASKS
        )
    if _is_request(part, words):
        return Mood.REQUESTS
    if not GREETINGS.isdisjoint(part.lead) and len(words) <= 2 and PRONOUNS.isdisjoint(words):
        return Mood.GREETS
    return (
        Mood.GREETS
        if words[0] in {"thanks", "thank", "bye", "goodbye", "goodnight"}
        or (words[:1] == ("good",) and len(words) <= 2)
        else Mood.STATES
    )


_KNOWING = listed("body.knowing")
_OF_ONESELF = frozenset("think thought say believe heard hopes wants".split())


def _is_reported(part: Part, before: Part | None) -> bool:
    """ "my friend says I'm lazy", "I told her I'm fine": at best what somebody said."""
    if before is None or part.elides:
        return False
    tail = lows(before.tokens)[-3:]
    is_speech = tail[-1:] and (
        tail[-1] in _SAID or tail[-2:] in {("was", "like"), ("is", "like"), ("were", "like"), ("be", "like")}
    )
    if is_speech and before.tokens[0].low not in SELVES and part.lead[:1] == (",",):
        return True
    if {",", "and", "but", ";", "-", "–", "—", "because"}.intersection(part.lead):
        return False
    said = [place for place, word in enumerate(tail) if word in REPORTING]
    if not said:
        return False
    subject = before.tokens[0].low
    if not _KNOWING.isdisjoint(lows(before.tokens[:4])):
        return False
    if subject in SELVES and tail[-2:] == ("told", "you"):
        return False
    return subject not in SELVES or tail[said[-1]] not in _OF_ONESELF


def _is_supposed(part: Part, words: Sequence[str], before: Part | None) -> bool:
    if before is not None and "where" in part.lead and not MADE_UP.isdisjoint(lows(before.tokens)):
        # "I'm writing a story where I'm a detective".
        return True
    if {"if", "unless", "whether", "maybe", "perhaps"}.intersection(part.lead):
        return part.lead[-1] != "since"
    if "wish" in words[:3] or (before is not None and "wish" in lows(before.tokens)[-2:]):
        return True
    if before is not None and before.tokens[-1].low in PRETENDING | {"hope", "hoping", "doubt", "like"}:
        return True
    near = [word for word in words[:_NEAR] if word not in ADVERBS]
    modal = next((place for place, word in enumerate(near) if word in WOULD and not _is_month(near, place)), None)
    if modal is None or (modal == 0 and asks(part)):
        return False
    rest = near[modal + 1 : modal + 2]
    if "rather" in words[:4] and "than" in words:
        # "I'd rather read than watch TV" says what somebody likes.
        return False
    return not (
        near[modal] == "would"
        and rest
        and rest[0] in {"like", "love", "prefer", "rather", "say", "describe", "consider"}
    )


def _is_month(words: Sequence[str], place: int) -> bool:
    return (
        words[place] == "may"
        and place > 0
        and words[place - 1]
        in {"on", "in", "of", "last", "next", "this", "since", "by", "until", "is", "early", "late", "every", "each"}
    )


def _is_request(part: Part, words: Sequence[str]) -> bool:
    if part.elides:
        return False
    if words[:2] == ("do", "not") and words[2:3] in {("like",), ("enjoy",), ("eat",)}:
        return False
    first = next(
        (
            word
            for word in words
            if word not in {"please", "just", "now", "always", "never", "do", "not", "kindly", "quickly"}
        ),
        "",
    )
    if words[:3] == ("please", "call", "me") and part.tokens[3:4] and part.tokens[3].is_capital:
        return False
    if words[0] == "please" or words[:2] in {("let", "us"), ("let", "me"), ("lets", "go")}:
        return True
    if words[0] in {"call", "name"} and _names_self(part, words):
        return False
    if words[0] in SELVES and any(word in {"want", "need", "like", "ask", "asked", "expect"} for word in words[1:4]):
        return "you" in words[2:6] and "to" in words[3:8]
    return first in ORDERS and (
        words[0] in ORDERS or words[0] in {"just", "now", "always", "never", "do", "kindly", "quickly"}
    )


def _names_self(part: Part, words: Sequence[str]) -> bool:
    """ "Call me Sam", "name is Sam": no order, but a name."""
    if words[0] == "call":
        return len(words) > 2 and words[1] == "me" and part.tokens[2].is_capital
    return len(words) > 1 and words[1] in {"is", "'s"}
