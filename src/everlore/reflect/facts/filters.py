"""What a model must not have saved as a fact about the user (F4): six filters, each with a name, and two for doubt.

In: a candidate and the message it came from. Out: the refusal, or None. Pure. A filter looks at how the fact is worded,
and asks the message only whether the user put it that way themselves.

Start at `refusal_of`. `tidied` in `wording.py` comes before it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from everlore.domain.reading import Filter, Refusal
from everlore.language.clauses import lows, tokens_of
from everlore.language.foreign import is_foreign
from everlore.language.lists import listed, tabled
from everlore.reflect.candidate import Candidate, Source
from everlore.reflect.facts.spoken import unspoken

LEAST_CONFIDENCE = 0.70
_MOST_READ = 4_000


def refusal_of(candidate: Candidate, source: Source) -> Refusal | None:
    """The first filter that stops it. The order tells the truest reason, where several would do."""
    content = candidate.content
    for stops, why in _FILTERS:
        if stops(content, source):
            return Refusal(content, why)
    if candidate.confidence < LEAST_CONFIDENCE:
        return Refusal(content, Filter.LOW_CONFIDENCE, f"{candidate.confidence:.2f}")
    return Refusal(content, Filter.LOW_CONFIDENCE, "a guess by its own words") if is_guess(content, source) else None


def _pattern(*parts: str) -> re.Pattern[str]:
    # No part repeats anything that repeats: the time grows with the length alone.
    return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)


def _message(source: Source) -> str:
    return f" {' '.join(lows(tokens_of(source.content[:_MOST_READ])))} "


# ── conversation actions ─────────────────────────────────────────────────────────────────────────

_ADVERB = r"(?:(?:is|was|has|have|had|been|just|also|then|now|simply|briefly|\w{2,20}ly) ){0,3}"
_DEEDS = (
    "greet(?:s|ed|ing)?|wav(?:es|ed|ing)|ask(?:s|ed|ing)?|inquir(?:es|ed|ing)|enquir(?:es|ed|ing)|request(?:s|ed|ing)?|"
    "question(?:s|ed|ing)?|quer(?:ies|ied)|thank(?:s|ed|ing)?|respond(?:s|ed|ing)?|repl(?:ies|ied|ying)|"
    "answer(?:s|ed|ing)?|react(?:s|ed|ing)?|confirm(?:s|ed|ing)?|agree(?:s|d|ing)?|disagree(?:s|d|ing)?|"
    "acknowledg(?:es|ed|ing)|apologi[sz](?:es|ed|ing)|compliment(?:s|ed|ing)?|prais(?:es|ed|ing)|mention(?:s|ed|ing)?|"
    "stat(?:es|ed|ing)|said|says|saying|told|tells|telling|describ(?:es|ed|ing)|discuss(?:es|ed|ing)?|"
    "comment(?:s|ed|ing)?|remark(?:s|ed|ing)?|wonder(?:s|ed|ing)?|clarif(?:ies|ied|ying)|suggest(?:s|ed|ing)?|"
    "instruct(?:s|ed|ing)?|command(?:s|ed|ing)?|introduc(?:es|ed|ing)|jok(?:es|ed|ing)|greets|inform(?:s|ed|ing)?|"
    "chat(?:s|ted|ting)|convers(?:es|ed|ing)|interact(?:s|ed|ing)?|typ(?:es|ed|ing)|prompt(?:s|ed|ing)|"
    "express(?:es|ed|ing)?|initiat(?:es|ed|ing)|engag(?:es|ing)|bid(?:s|ding)?|invit(?:es|ed|ing)"
)
_DEED = re.compile(rf"^user {_ADVERB}({_DEEDS})\b", re.IGNORECASE)
_DONE_TO = re.compile(r"^user (?:\w+ ){0,2}(?:been|was|got|is) (?:\w{2,20}ly )?(?:\w+ed|told)\b", re.IGNORECASE)
# Whoever does one of these tells the user something.
_REPORTED = frozenset("told said says called rang wrote phoned diagnosed confirmed".split())
_ASSISTING = r"(?:the |an? |your |this )?(?:assistant|ai|bot|chatbot|model|character|conversation|chat|dialogue|you)\b"
_BY_WHOM = re.compile(rf" by (?!{_ASSISTING})(?:(?:an?|the|their|user's) )?(\w+)", re.IGNORECASE)
_WANTING = "(?:wants|wanted|would like|wishes|needs|is trying|is curious|is looking|is hoping|seeks|is seeking|sought)"
_HELP = (
    "(?:help|assistance|advice|information|info|details|clarification|explanation|answers?|suggestions?|"
    "recommendations?|guidance|feedback|response|reply|photo|picture|image|selfie|recipes?|ideas?|tips|inspiration)"
)
_AIMS = _pattern(
    rf"^user {_WANTING} (?:to )?(?:learn more|find out|hear|understand) (?:about|what|how|why|whether|if|more|who)\b",
    rf"^user {_WANTING} (?:to )?know\b",
    rf"^user {_WANTING} (?:for )?(?:some |more |any |an? |your )?(?:good |new |nice |easy |quick ){{0,2}}{_HELP}\b",
    rf"^user (?:\w+ ){{1,3}}(?:with|to|from|for|by) {_ASSISTING}",
    rf"^user (?:wants|needs|expects|would like|likes) {_ASSISTING}",
    r"^user (?:is|was|has been|is now|is currently) (?:talking|speaking|messaging|texting|writing) (?:to|with) ",
    r"^user (?:is |was |has )?(?:started?|starting|began|beginning|opened|opening|continued|ended|ending|having|had) "
    r"(?:a|the|this|another) (?:new )?(?:conversation|chat|dialogue|discussion|message)\b",
    r"^user (?:sent|sends|wrote|writes|left|posted) (?:an? |the |another )?(?:short )?(?:message|greeting|reply)",
    r"^user (?:is|was|seems|appears) (?:(?:very|being|quite|to be) ){0,2}"
    r"(?:grateful|thankful|appreciative|polite|friendly|curious|engaged (?:in|with)|inquisitive|responsive)\b",
    r"^user (?:wished|wishes) (?:\w+ ){0,2}(?:a )?(?:good|happy|nice) ",
    r"^user gave (?:a )?(?:greeting|thanks|response|answer|compliment)",
)


def is_conversation_action(content: str, source: Source) -> bool:
    """ "User asked about …". Not where the user tells of having asked somebody: "I asked my boss for a raise"."""
    deed = _DEED.match(content)
    if deed and _DONE_TO.match(content):
        # "They've asked me to run the raffle": that is told, and not done in the chat.
        return not _is_told_by_others(content, deed.group(1).lower(), source)
    if deed:
        return not _tells_of(deed.group(1).lower(), source)
    if not _AIMS.search(content):
        return _talks_with(content, source.assistants)
    # "I'm so grateful for my kids" is said; "Thanks!" is done.
    stated = re.search(r"\b(grateful|thankful|polite|friendly|curious)\b", content, re.IGNORECASE)
    return not (stated and f" {stated.group(1).lower()} " in _message(source))


def _is_told_by_others(content: str, deed: str, source: Source) -> bool:
    """By whom it says itself, or the message does."""
    by = _BY_WHOM.search(content)
    if by is not None:
        return by.group(1).lower() not in called(source.assistants)
    is_reported = deed == "told" and not _REPORTED.isdisjoint(_message(source).split())
    return is_reported or f" {deed} " in _message(source)


def _tells_of(deed: str, source: Source) -> bool:
    """The user says "I asked", and not "I asked you"."""
    told = re.search(rf" i (?:have |had |just |also |always |often |already ){{0,2}}{deed} (\S+)", _message(source))
    return told is not None and told.group(1) not in {"you", "your", ".", ",", "!", "?", "a", "about", "hi", "hello"}


def _talks_with(content: str, assistants: Iterable[str]) -> bool:
    start = r"user (?:is |was |wants to |likes to |enjoys )?\w+ (?:with|to)"
    return any(re.match(rf"{start} {re.escape(name)}\b", content, re.IGNORECASE) for name in called(assistants))


_TITLES = listed("names.titles")


def called(assistants: Iterable[str]) -> Iterator[str]:
    """Full names, and first names where they are long enough to be meant."""
    for name in assistants:
        plain = " ".join(name.lower().split())[:80]
        if plain:
            yield plain
            first = plain.split()[0]
            if len(first) > 2 and first not in _TITLES:
                yield first


# ── the assistant ────────────────────────────────────────────────────────────────────────────────

_SORT = (
    "(?:ai|artificial intelligence|assistant|chatbot|bot|language model|large language model|llm|character|companion)"
)
_ABOUT_ASSISTANT = _pattern(
    rf"^(?:the |this |an? |your |my |its )?(?:virtual |digital |ai |helpful )?{_SORT}(?:['’]s)? ",
    r"^(?:i|i['’]m|we|you|your) ",
)
_OWN_ASSISTANT = re.compile(
    rf"^user['’]s (?:virtual |ai |digital )?({_SORT}) (?:is|has|can|likes|loves|will)\b", re.IGNORECASE
)
_IS_ASSISTANT = re.compile(
    r"^user (?:is|was|plays|acts as|identifies as) (?:an? |the )?(?:\w+ ){0,2}(?:ai|artificial intelligence|assistant|"
    r"chatbot|bot|language model|llm|virtual companion)(?: (?:assistant|model|companion|character|named|called|created|"
    r"developed|trained|designed|that|who|built)\b|$)",
    re.IGNORECASE,
)
_THE_ASSISTANT = re.compile(
    r"\bthe (?:ai |virtual )?(assistant|ai|chatbot|bot|character|language model)\b", re.IGNORECASE
)


def is_assistant_fact(content: str, source: Source) -> bool:
    if _ABOUT_ASSISTANT.search(content) or _is_named_as(content, source.assistants):
        return True
    if _IS_ASSISTANT.search(content):
        return not _says_of_self(source, ("ai", "assistant", "bot", "chatbot"))
    if own := _OWN_ASSISTANT.search(content):
        return f" my {own.group(1).lower()} " not in _message(source)
    spoken_of = _THE_ASSISTANT.search(content)
    return spoken_of is not None and f" {spoken_of.group(1).lower()} " not in _message(source)


_CALLED = (
    r"user(?:'s)?(?: (?:full|first|real|nick|given|preferred|user))? ?(?:nickname|name)?(?: is| was| goes| calls)?"
    r"(?: also)?(?: named| called| by| known as| themselves| themself)?"
)


def _is_named_as(content: str, assistants: Sequence[str]) -> bool:
    """ "Nova is …", and "User's name is Nova": an assistant's name never becomes the user's (F1)."""
    low = content.lower().replace("’", "'")
    for name in called(assistants):
        if re.match(rf"{re.escape(name)}(?:'s)?\b", low):
            return True
        if re.match(rf'{_CALLED} (?:the name )?"?{re.escape(name)}\b(?! \w)', low):
            return True
    return False


def _says_of_self(source: Source, words: Sequence[str]) -> bool:
    message = _message(source)
    return any(
        f" {lead} {article} {word} " in message
        for lead in ("i am", "as", "i was")
        for article in ("a", "an")
        for word in words
    )


# ── leaks ────────────────────────────────────────────────────────────────────────────────────────

_LEAKS = _pattern(
    r"\b(?:un(?:censored|restricted|filtered)) ?(?:ai|assistant|model|mode|and|$)",
    r"\bhelpful,? (?:\w+ )?(?:assistant|ai|bot|chatbot)\b",
    r"\bfollows? (?:all |the |any |every |user |given |these )?(?:instructions|rules|guidelines|commands|prompts?)\b",
    r"\bsystem (?:prompt|message|instructions?)\b",
    r"\b(?:memory|fact) extraction\b|\bextraction (?:system|rules|task)\b",
    r"\b(?:is|was) (?:designed|programmed|instructed|configured|created|built|trained) to\b",
    r"\b(?:valid |only )json (?:array|object|format)\b|\boutput format\b|\bconfidence (?:score|level|scale)\b",
    r"\b(?:must|should|will|can only|cannot) (?:only |always |never )?(?:respond|reply|answer|return|output|comply)\b",
    r"\bis (?:the )?only evidence\b|\bkeeps? a notebook\b",
    r"\bhas no (?:restrictions|limitations|filters?|ethical)\b",
)
_MAYBE_LEAKS = _pattern(
    r"\bis (?:always |very )?(uncensored|unrestricted|unfiltered|truthful|unbiased|impartial|obedient|compliant)\b",
    r"\bis (?:a |an )?(?:very )?(helpful)\b",
    r"\b(complies) with\b|\b(obeys)\b|\bprovides? (accurate|helpful|truthful|unbiased)\b",
)


def is_prompt_leak(content: str, source: Source) -> bool:
    """Words of instructions to a model. A virtue that the user claims for themselves is theirs all the same."""
    if _LEAKS.search(content):
        return True
    virtue = _MAYBE_LEAKS.search(content)
    if virtue is None:
        return False
    word = next(group for group in virtue.groups() if group).lower()
    return not re.search(rf" i (?:am|try to be|have always been) (?:\w+ ){{0,3}}{word}\b", _message(source))


# ── unknowns ─────────────────────────────────────────────────────────────────────────────────────

_TELLING = r"(?:mention|specif|stat|provid|disclos|reveal|indicat|shar|giv|clarif|express|offer|includ)\w*"
_UNKNOWNS = _pattern(
    r"\b(?:unknown|unspecified|undisclosed|unstated|unclear|undetermined|n/a|not applicable)\b",
    rf"\b(?:not|n't|never|no one|nothing) (?:been |explicitly |yet |clearly |further ){{0,2}}"
    rf"(?:{_TELLING}|said what|known|available|determined|clear)\b",
    r"\b(?:did|does|has)(?:n't| not) (?:explicitly |directly |yet )?(?:say|tell|talk|give)"
    r"(?: (?:any|what|where|who|how|their|about|much)|$)",
    r"\bno (?:\w+ )?(?:facts?|information|details?|data|mention|indication|evidence|statements?|memor(?:y|ies))\b",
    r"^(?:none|nothing|no|empty|null|n/?a)\b",
    r"\b(?:cannot|can't|could not) be (?:determined|inferred|known|extracted)\b",
    r"\b(?:insufficient|not enough) (?:information|context|data|detail)",
)


def is_unknown(content: str, source: Source) -> bool:
    found = _UNKNOWNS.search(content)
    if found is None:
        return False
    # "I love exploring unknown places": a word of the user's own, unless it is what the fact amounts to.
    word = found.group().lower()
    return not (" " not in word and f" {word} " in _message(source) and not content.lower().rstrip(".").endswith(word))


# ── guesses about what somebody is ───────────────────────────────────────────────────────────────

_TRAITS = tuple(tabled("traits.guessed").values())
_ATTRIBUTES = listed("traits.sensitive")
_AGE = re.compile(
    r"^User(?:'s age)? (?:is|was|appears to be|seems to be|looks) (?:about |around )?"
    r"(?:\S+ years? old|\d+$|in (?:his|her|their) )"
)
_IDENTIFYING = listed("verbs.identifying")
_BEYOND = listed("grammar.beyond")
_RANKS = listed("traits.ranks")
_SPANS = frozenset({"year", "years", "month", "months"})
_PERSONS = listed("people.behind_a_trait")


def is_demographic_guess(content: str, source: Source) -> bool:
    """Whether it says what the user is (sex, origin, belief …) in words that nobody used, or how old with a number that
    nobody named. In another language those words are others."""
    if _AGE.match(content) and unspoken(content, source):
        return True
    traits = _traits_in(lows(tokens_of(content)))
    if not traits or is_foreign(source.content):
        return False
    said = lows(tokens_of(source.content[:_MOST_READ]))
    return not all(any(word.removesuffix("s") in trait or word in trait for word in said) for trait in traits)


def _traits_in(words: Sequence[str]) -> list[frozenset[str]]:
    """Only of the user, and as what they are: not "User's old tomcat", nor "likes old films"."""
    begins = next((at for at, word in enumerate(words) if word in _IDENTIFYING), None)
    if begins is None or (words[1:2] == ("'s",) and words[2] not in _ATTRIBUTES):
        return []
    what = list(takewhile(lambda word: word not in _BEYOND, words[begins + 1 :]))
    return [trait for at, word in enumerate(what) for trait in _TRAITS if word in trait and not _is_rank(what, at)]


def _is_rank(words: Sequence[str], at: int) -> bool:
    if words[at] == "old" and at and words[at - 1] in _SPANS:
        return True
    after = words[at + 1] if at + 1 < len(words) else ""
    return words[at] in _RANKS and after.isalpha() and after not in _PERSONS and after not in {"in", "at", "for", "but"}


# ── not about the user, and doubt ────────────────────────────────────────────────────────────────

_ABOUT_USER = re.compile(r"User(?:'s|’s)? \S")
_HEDGES = re.compile(
    r"^User(?:'s \w+)? "
    r"(seems|appears|may|might|possibly|probably|likely|presumably|perhaps|potentially|apparently|could)\b"
)


# "Our president" belongs to everybody.
_PUBLIC = re.compile(
    r"^User['’]s (?:\w+ ){0,2}(?:president|prime minister|pm|government|governor|mayor|king|queen|chancellor|"
    r"parliament|senator|congress|country|nation|economy|society|planet|world|species|civili[sz]ation|weather|galaxy|politicians?)"
    r"(?:['’]s)? ",
    re.IGNORECASE,
)


def is_not_about_user(content: str, _: Source) -> bool:
    return _ABOUT_USER.match(content) is None or _PUBLIC.match(content) is not None


def is_guess(content: str, source: Source) -> bool:
    """ "User may like jazz": unless that is how the user put it."""
    hedge = _HEDGES.match(content)
    return hedge is not None and f" {hedge.group(1)} " not in _message(source)


_Stop = tuple[Callable[[str, Source], bool], Filter]
_FILTERS: tuple[_Stop, ...] = (
    (is_unknown, Filter.UNKNOWN),
    (is_conversation_action, Filter.CONVERSATION_ACTION),
    (is_assistant_fact, Filter.ASSISTANT_FACT),
    (is_prompt_leak, Filter.PROMPT_LEAK),
    (is_not_about_user, Filter.NOT_ABOUT_USER),
    (is_demographic_guess, Filter.DEMOGRAPHIC_GUESS),
)
