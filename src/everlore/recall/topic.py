"""The topic of a question, without its phrasing (R2). English only; pure.

"Can you list the order in which I brought up different aspects of my garden across our conversations?" is about a
garden. No line says that there were conversations, or that a list is wanted: such words are rare in the log, so they
would weigh most, and they pull the embedding of the question towards talk about talking.

Start at `topic_of`.
"""

import re

from everlore.domain.words import is_common, words_of

# In a longer text the phrasing does not matter.
_MOST_CHARS = 1_000
_LENGTH = r"(?:brief|clear|complete|comprehensive|detailed|full|general|quick|short)"
_TALKS = r"(?:conversations?|chats?|sessions?|discussions?|talks?|messages?)"
_PAST = r"(?:previous|past|last|earlier|recent)"
_COUNT = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
_FRAMES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Limits on the length of the answer.
        rf"(?:^|(?<=[.?!]))\s*(?:please )?\w+ (?:only|just|exactly|at most|up to|no more than)\b[^.?!]{{0,20}}?"
        rf"\b{_COUNT} (?:items?|things?|points?|words?|sentences?|examples?)\s*(?:[.?!]|$)",
        # Requests to tell something, and how.
        r"\b(?:can|could|would|will) you (?:please )?(?:list|tell|walk|give|provide|summari[sz]e|remind|explain|show|"
        r"help|describe|recall|remember)\b(?: (?:me|us)\b)?(?: (?:through|with|about|of)\b)?",
        r"(?:^|(?<=[.?!,]))\s*(?:please )?(?:tell|remind|show|give) me\b(?: (?:about|of)\b)?",
        r"\bdo you (?:still )?(?:remember|recall|know)\b",
        r"\bi(?:['’]m| am| was)? (?:just )?(?:wondering|curious)\b(?: (?:if|about|whether)\b)?",
        rf"\b(?:an?|the) (?:{_LENGTH} )?(?:summary|overview|recap|list) of\b",
        r"\bthe order in which\b|\bin (?:chronological )?order\b(?! to\b)",
        r"\b(?:different|various|several|key|main) (?:aspects|topics|concepts|things) (?:of|about|around|related to)\b",
        # References to earlier conversations.
        r"\b(?:that |which |what )?(?:i|we|you)(?:['’]ve| have| had)? (?:ever )?(?:brought up|mentioned|discussed|"
        r"talked about|spoke about|asked about|told you|said)\b",
        r"\bwe(?:['’]ve| have)? covered\b",
        r"\bdid (?:i|we|you) (?:ever )?(?:bring up|mention|discuss|talk about|ask about|tell you|say)\b",
        rf"\b(?:throughout|across|in|during|over|from) (?:all )?(?:of )?(?:our|these) (?:{_PAST} )?{_TALKS}\b",
        rf"\b(?:throughout|across) (?:all )?(?:of )?(?:my |the )?(?:{_PAST} )?{_TALKS}\b",
        r"\bso far(?=\s*(?:[.?!]|$))",
    )
)


def topic_of(question: str) -> str:
    """Returns the question itself if nothing would be left of it."""
    if len(question) > _MOST_CHARS:
        return question
    bare = question
    for frame in _FRAMES:
        bare = frame.sub(" ", bare)
    if bare == question or all(is_common(word) for word in words_of(bare)):
        return question
    return re.sub(r"[\s,]+(?=[,?.!])", "", " ".join(bare.split())).strip(" ,")
