"""Whether a sentence states what it says, or asks, denies, supposes or only reports it.

In: a sentence in small letters. Out: whether something can be learnt from it. Start at `is_stated`.
"""

import re

_SUPPOSED = re.compile(
    r"\b(?:if|unless|whether|would|could|might|may|maybe|perhaps|possibly|probably|should|suppose|supposing|imagine|"
    r"imagining|wish|wishes|wished|hope|hopes|hoped|pretend|pretends|pretended|pretending|as though|wonder|wonders|"
    r"wondered|guess|bet|will|shall|going to|gonna|about to|wants? to|wanted to|plans? to|planned to|tries to|tried to|"
    r"trying to|threatens? to|threatened to|promised? to|promises to|swore to|vows? to|vowed to|refused? to|refuses to|"
    r"seems?|seemed|looks like|sounds like|feels like|kind of|sort of|unlikely|doubt|doubts|doubted|not sure|unsure)\b"
    r"|'ll\b|'d\b"
)
_REPORTED = re.compile(
    r"\b(?:claims?|claimed|claiming|lied|lying|liar|lie|lies(?! (?:in|on|at|near|by|"
    r"beneath|under|between|beyond|behind|within|deep|north|south|east|west)\b)|rumou?rs?|rumou?red|gossip|allegedly|supposedly|"
    r"apparently|reportedly|accuses?|accused|accusing|suspects?|suspected|believes?|believed|thinks?|thought|"
    r"dream|dreams|dreamt|dreamed|joke|jokes|joked|joking|kidding|legends?|legend has it|the story goes|"
    r"stories|tale|tales|song|songs|fake|faked|forgery|false|falsely|untrue|nonsense|bluff|bluffs|bluffed|bluffing|"
    r"they say|people say|folk say|some say|it is said|it's said|word is|word has it|trick|tricked|posing|poses as|"
    r"posed as|disguised|impersonating|acts? like|acting like|mistakes?|mistook|mistaken|wrong|theory|theories|"
    r"tell (?:him|her|them|everyone|everybody|people)|told (?:him|her|them|everyone) that|convinced?|persuaded?|"
    r"let's say|according to|jk|"
    r"(?:every|some|any)(?:one|body) (?:says?|said|thinks?)|(?:people|folk|they|many|most|some) (?:say|said|think))\b"
)
# "Is Orrin …", "so does Orrin …", "who …": asked, with or without a question mark.
_ASKED = re.compile(
    r"^\W*(?:(?:so|wait|ok|okay|but|and|hey|um|hm+|well|then|oh),? )*"
    r"(?:is|are|was|were|does|do|did|has|have|had|can|isn't|aren't|wasn't|doesn't|didn't|hasn't|haven't|who|whose|what|"
    r"why|how|when|where|which) "
)
_TAKEN_BACK = re.compile(
    r"\b(?:lie|lies|lied|lying|liar|untrue|false|joke|joking|kidding|jk|wrong|nonsense|isn't|wasn't|aren't|weren't|"
    r"doesn't|didn't|not true|not so|rubbish|made (?:it|that) up)\b|^\W*(?:no|not)\b"
)
_MOST_WORDS_BACK = 9
_DENIED = re.compile(
    r"\b(?:not|never|no|nobody|none|neither|nor|no longer|hardly|barely|nearly|almost|cannot|without|instead of|like|"
    r"rather than|denies|denied|refuses|refused|former|formerly|ex|used to|anymore|any more|but)\b|n't\b"
)


def is_stated(sentence: str) -> bool:
    """No question, no supposition, no report of what somebody says or believes."""
    if sentence.rstrip(" \"”’'*)").endswith("?") or _ASKED.match(sentence):
        return False
    return not _SUPPOSED.search(sentence) and not _REPORTED.search(sentence)


def is_denied(clause: str) -> bool:
    """ "Not", "never", "no longer", "almost": of the words between two names, and of those just before."""
    return bool(_DENIED.search(clause))


def takes_back(sentence: str) -> bool:
    """ "That's a lie.", "He isn't.": what was said just before is not so."""
    return len(sentence.split()) <= _MOST_WORDS_BACK and bool(_TAKEN_BACK.search(sentence))
