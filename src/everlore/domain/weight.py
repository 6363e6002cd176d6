"""Estimates how much a message matters later (P10), from 0 (nobody will miss it) to 9. Pure, and without a model.

A message weighs as much as its weightiest sentence. A decision, a promise, an agreement or a plan is IMPORTANT by
itself; intentions, personal information, names, numbers, times and money add up to it. A question weighs half as much,
and never is a decision. Decisions are recognized in English only; names, numbers and length count in any language.

Start at `weigh`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from everlore.domain.display import display

MOST = 9
# From this weight on a message stays verbatim, if it fits.
IMPORTANT = 5
# A longer text is a document: its decisions, if any, are on its first pages.
_MOST_READ = 20_000
# A sentence with fewer significant words gets no weight for its length.
_A_SENTENCE = 5

# A number with its unit or suffix ("5,000", "18:30", "4th"), a word, an end, or a character that precedes a new start.
_TOKEN = re.compile(r"\d(?:[\d.,:/]*\d)?\w*|[^\W\d_]\w*(?:['’-]\w+)*|[.!?…。！？\n]|[\"“”„«»*:(—]")
_ENDS = frozenset(".!?…。！？\n")
_ASKS = frozenset("?？")
_STARTS = frozenset('"“”„«»*:(—')
_MONEY = re.compile(r"[$€£¥₹₽]\s?\d|\d\s?[$€£¥₹₽]")

_FILLERS = frozenset(
    "lol lmao rofl haha hahaha hehe ok okay k kk yes yeah yep yup yay no nope nah sure fine cool nice great good wow "
    "oh ah aw um uh hm hmm mm huh hey hi hello hiya bye goodbye morning afternoon evening night thanks thank thx you "
    "your too so very much well then right alright really please welcome worries problem sorry brb gtg afk same true "
    "indeed exactly of course there sleep dear love god gosh ja nein danke bitte genau gut hallo si sí gracias hola "
    "vale claro oui non merci bonjour salut".split()
)

# The beginning of a sentence, in the phrases below.
_FIRST = "(?<=^ )"


def _phrases(*phrases: str) -> re.Pattern[str]:
    """Compiles phrases for sentences in lower case with straight apostrophes and one space before each word.

    The pattern starts with the space too, so that only the beginnings of words are tried. No phrase repeats more than
    the letters of one word, so the time is linear in the length of the text.
    """
    return re.compile(rf" (?:{'|'.join(phrases)})\b")


_HOW = "(?: (?:have|do|will|now|hereby|solemnly|finally|just|also|both|all|already|then))?"
# Verbs that perform what they say.
_DOING = (
    "decided?|choose|chose|chosen|agreed?|accept(?:ed)?|refused?|resolved?|forbid|forgive|forgave|surrender|yield|"
    "challenge|appoint|declare|pronounce|dub|crown|grant|owe|demand|renounce|disown|name you"
)
_DECIDED = _phrases(
    # Decisions and their revocations.
    r"let(?:'s| us| it be) (?!see\b|say\b|hope\b|face it|be (?:honest|real)|go$|just see)\w+",
    rf"(?:i|we|i've|we've){_HOW} (?:{_DOING})|hereby|made up my mind|set (?:a|the) date",
    r"(?:it|that)(?:'s| is) (?:settled|decided)|my (?:final )?(?:decision|condition|conditions|terms|choice|answer)",
    r"(?:call|called|calling) (?:it )?off|cancel(?:l?ed)?|(?:take|took) (?:it |that )?back|(?:deal|marriage) is off",
    rf"(?:the|our|my) plan is|count me (?:in|out)|{_FIRST}i(?:'m| am) (?:in|out)$",
    # Promises and agreements.
    rf"we(?:'re| are) agreed|{_FIRST}agreed|promise[sd]?(?! of)",
    r"swears?|swore|sworn|vow|vows|vowed|pledged?|oath|pact|truce|treaty",
    rf"(?:have|got|it's|its|is|made) a deal|{_FIRST}(?:(?:ok|okay|fine|alright|yes|no|good) )?deal(?! with| of)",
    r"(?:have|give you|gave you|keep) my word",
    # Rules, and permanent changes.
    r"from (?:now|this day) on|from this day|henceforth|never again|no more|once and for all|for good$",
    rf"{_FIRST}(?:please )?(?:do not |don't )?(?:ever|never|always) (?!mind)\w+ \w+|must (?:not|never)",
    r"forbidden|not allowed|off limits|(?:the|first|new|only|house) rule",
    r"(?:is|are)(?: all)? (?:yours|mine)(?<!pleasure is mine)(?: now| forever)?$|belongs? to (?:you|me|us)",
    # Requests to remember.
    rf"{_FIRST}(?:please |always )?remember (?!when|how|me|the time)\w+|(?:do not|don't|never) (?:ever )?forget",
    r"(?:pass ?(?:word|phrase|code)|(?:safe|code) ?word|pin|combination|(?:phone|account) number|address) (?:is|was)",
)
_INTENDED = _phrases(
    r"i(?:'ll| will| shall| won't|(?:'m| am) (?:going to|gonna|leaving)| plan to| intend to| want to| have to| must)",
    r"we(?:'ll| will| shall| must| should|(?:'re| are) \w+ing| leave for)|you must",
)
_KIN = (
    "mother|father|mom|mum|dad|parents?|sister|brother|twin|husband|wife|fiancée?|boyfriend|girlfriend|partner|ex|"
    "daughter|son|child|children|kids?|baby|uncle|aunt|cousin|grand(?:mother|father|ma|pa)|nephew|niece|dog|cat"
)
_BEING = _phrases(rf"i(?:'m| am| was| work as) an? (?!bit|little|lot)\w+|(?:my|our) (?:{_KIN})")
_OF_ONESELF = _phrases(
    r"(?:i|we)(?: am|'m| are|'re| was| were| have|'ve| had| live| work| study| come from| grew up| own| need)",
    r"i (?:like|love|hate|prefer|can't|cannot|never)",
    r"(?:i|we) (?:\w+ed|got|lost|found|met|told|took|gave|left|broke|stole|won|lied|did|made|set)",
    r"(?:my|our) (?!god|dear|love|goodness|friend|lord|lady|bad|pleasure|turn)\w+|call me",
)
_OF_LIFE = _phrases(
    r"(?:name|names|named|naming) (?:is|you|him|her|it|the)|allerg(?:ic|y|ies)|vegetarian|vegan|diabetic|sober",
    r"(?:can't|cannot|don't|do not) (?:eat|drink|swim|walk|read|hear|sleep)|diagnosed|cancer|surgery|hospital|ill",
    r"marry|married|marriage|wedding|engaged|pregnant|divorced?|widow(?:ed|er)?|adopted|broke up|in love|it's over",
    r"born|birthday|passed away|died|dead|dying|kill(?:ed)?|murder(?:ed|er)?|funeral|heir|inherit(?:ed)?",
    r"job|moved|hired|fired|quit|resign(?:ed)?|graduated|retired|promoted|bought|sold|stole|arrested|prison",
    r"secret|secretly|betrayed|enem(?:y|ies)|(?:afraid|scared|terrified) of",
)
_TIMES = _phrases(
    r"today|tomorrow|tonight|yesterday|dawn|dusk|first light|midnight|noon|sunrise|sunset|o'clock|until",
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?",
    r"january|february|april|june|july|august|september|october|november|december|(?:in|of|on|\d{1,2}) (?:march|may)",
    r"(?:next|last|this|every) (?:week|month|year|night|spring|summer|autumn|winter)|(?:days|weeks|months|years)",
    r"always|forever|never",
)
_SUMS = _phrases(r"dollars?|euros?|pounds|cents|gold|silver|coins?|bucks|percent")
_NUMBERS = frozenset("two three four five six seven eight nine ten eleven twelve twenty dozen hundred thousand".split())


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Its words in the form for `_phrases`, and properties that show in any language."""

    words: str
    telling: int
    names: int
    numbers: int
    asks: bool


def weigh(text: str) -> int:
    """0 to 9; hidden parts of a message, such as thoughts, do not count."""
    read = display(text).text[:_MOST_READ]
    sum_named = 1 if _MONEY.search(read) else 0
    weight = max((_weight(sentence) for sentence in _sentences(read)), default=0)
    return min(weight + sum_named, MOST)


def _weight(sentence: _Sentence) -> int:
    words = sentence.words
    seen = min(sentence.names, 2) + min(sentence.numbers, 2) + _times_and_sums(words)
    told = seen + (3 if _OF_LIFE.search(words) else 0)
    if sentence.asks:
        told = (told + _of_oneself(words)) // 2
    else:
        # Not the sum: "I'll get my coat" is only an intention.
        told += max(_meant(words), _of_oneself(words))
    return max(told, 1 if sentence.telling >= _A_SENTENCE else 0)


def _meant(words: str) -> int:
    """Decisions and intentions."""
    return IMPORTANT if _DECIDED.search(words) else 4 if _INTENDED.search(words) else 0


def _of_oneself(words: str) -> int:
    """What somebody is, has or did."""
    return 4 if _BEING.search(words) else 3 if _OF_ONESELF.search(words) else 0


def _times_and_sums(words: str) -> int:
    return bool(_TIMES.search(words)) + bool(_SUMS.search(words))


def _sentences(text: str) -> Iterator[_Sentence]:
    tokens: list[str] = []
    for token in _TOKEN.findall(text):
        if token not in _ENDS:
            tokens.append(token)
        elif tokens:
            yield _sentence(tokens, asks=token in _ASKS)
            tokens = []
    if tokens:
        yield _sentence(tokens, asks=False)


def _sentence(tokens: Sequence[str], *, asks: bool) -> _Sentence:
    spaced = " ".join(["", *(token for token in tokens if token not in _STARTS)]).lower().replace("’", "'")
    words = spaced.split(" ")[1:]
    return _Sentence(
        words=spaced,
        telling=sum(_size(word) for word in words if word not in _FILLERS),
        names=sum(1 for before, token in pairwise(tokens) if token[0].isupper() and _is_name(token, before)),
        numbers=sum(1 for word in words if word[0].isdigit() or word in _NUMBERS),
        asks=asks,
    )


def _is_name(token: str, before: str) -> bool:
    """A capitalized word that is neither the first of a sentence or quotation, nor in capitals only."""
    return before not in _STARTS and token[1:2].islower() and token.lower() not in _FILLERS


def _size(word: str) -> int:
    """One; in scripts without lower case, which often have no spaces either, two characters count as a word."""
    return 1 if word.isascii() or word.upper() != word else max(1, len(word) // 2)
