"""Whether a fact is one whole sentence about the user that can stand alone, years after it was said. Pure.

In: a content in our form ("User …"). Out: what is wrong with it, or nothing. A model that only hands the message back
leaves traces: "I" and "you", chat words, two sentences in one, a subject without a verb, a verb without what it needs,
"it" and "this song" with nothing that they could mean.

Start at `fault_of`; `verb_at` finds where the predicate begins.
"""

from collections.abc import Sequence
from itertools import pairwise

from everlore.reflect.clauses import Token, lows, tokens_of
from everlore.reflect.clauses.words import ADVERBS, is_past_form
from everlore.reflect.facts.claims import figures_in
from everlore.reflect.facts.vocabulary import PAST_FORMS, PEOPLE
from everlore.reflect.rules.verbs import base_of_gerund, base_of_participle, base_of_past, base_of_third

_PERSONAL = frozenset(
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves thy thee".split()
)
_CHATTED = frozenset(
    "lol lmao rofl omg idk ngl tbh rn btw imo imho haha hahaha hehe ugh hmm hm wtf smh fr bruh hey hi hello heya "
    "yeah yep yup nope nah pls plz thx thanks dunno gonna wanna gotta wow oh ah aw aww yay lmfao atm".split()
)
_ENDING_MARKS = frozenset({";", "!", "?", "*", "~", "|", "{", "}", "<", ">", "=", "\\", "[", "]"})
_AUXILIARIES = frozenset(
    "is are was were has have had does do did can could will would may might must should shall used".split()
)
_SINGULAR = _AUXILIARIES - {"are", "were", "have", "do"}
_COPULAS = frozenset({"is", "are", "was", "were", "be", "been", "being"})
_PLAIN_PASTS = frozenset(
    "thought said read put set let cost shut spread split bet burst rid woke bred meant dealt leapt lent bent crept "
    "wept sought swung stuck stung shone slid spun spat tore clung flung froze shrank sprang stank strode swore wrung "
    "sped bled fled knelt dwelt died cried lied tied tried dyed vied".split()
)
_SAME_FORMS = frozenset("read put set let cost shut spread split bet burst rid hit hurt cut quit beat".split())
# Of a participle alone no sentence is made.
_PARTICIPLES = frozenset(
    "gone been done seen taken written spoken driven known grown broken given eaten ridden flown sung worn begun "
    "fallen chosen gotten drawn named called born".split()
)
_NO_VERBS = frozenset(
    "always sometimes this his its us yes thanks plus lots perhaps besides hers theirs ours yours as days hours "
    "minutes nowadays afterwards".split()
)
_PASSED_OVER = ADVERBS | frozenset("not no never longer now once twice also first".split())
_DANGLING = frozenset(
    "a an the and or but because that if than which who whose when while although though as their his her its my your "
    "our is are was were very so such every of why how what where".split()
)
_BACKWARD = frozenset({"it", "this", "that", "these", "those"})
# "hates it when people are late".
_EXPLETIVE = (["when"], ["that"], ["if"], ["to"], ["hard"], ["difficult"], ["easy"], ["important"])
_PLACING = frozenset("in at on of for from with to by about near around after before since during until".split())
_JOINING = frozenset({"and", "but", "because", "so", "while", "which", "who", "when", "where", ",", "after", "before"})
# What a time is called by: "this year" needs nothing before it.
_TIMES = frozenset(
    "year week month summer weekend morning evening spring autumn winter fall term semester season afternoon christmas "
    "monday tuesday wednesday thursday friday saturday sunday days january february march april may june july august "
    "september october november december coming past last time quarter decade kind sort type".split()
)
_HOLLOW = frozenset(
    "it this that these those everything nothing something anything one ones either way both any of so too "
    "again back overnight now today tonight there here yet soon later up down off on out over around along away "
    "any-more already first touch things thing stuff more much lot lots bit little right just much to be do".split()
)
# Whole without an object, as what somebody does by habit.
_ABSOLUTE = frozenset(
    "smoke drink drive vape hike swim cook bake sing dance write paint read draw teach volunteer run jog knit sew "
    "garden snore stutter stammer work code program fish hunt camp travel climb ski surf skate snowboard skateboard "
    "sail cycle meditate pray fast graduate retire divorce marry separate relocate emigrate immigrate commute "
    "freelance study act box wrestle farm nurse sculpt blog stream podcast game gamble juggle fence row ride fly dive "
    "bike sleepwalk vote limp lisp walk exercise train diet die pass model tutor coach busk whittle crochet quilt "
    "weave embroider journal forage bird scrapbook parent homeschool rap improvise compose skydive scuba kayak canoe "
    "bowl golf lift bodybuild relapse recover convert enlist serve perform compete age move propose adopt foster elope "
    "rent sign expect faint".split()
)
# … and as what happened for good.
_DONE = frozenset(
    "graduate retire divorce marry separate relocate emigrate immigrate die pass relapse recover convert enlist "
    "propose elope faint adopt resign quit miscarry drown".split()
)
# Whole with its particle.
_PHRASAL = frozenset(
    "break-up burn-out put-down pass-away pass-out give-out give-up grow-up split-up come-out move-out move-in "
    "move-back settle-down lay-off come-up work-out sleep-in stay-in show-up break-down calm-down dress-up eat-out "
    "write-off cheat-on".split()
)
# "User name is John", as small models write it.
_ATTRIBUTES = frozenset("name nickname age birthday job gender".split())
_SAYING = frozenset("thinks believes says knows feels hopes claims thought said believed".split())
_WANTING = frozenset("wants needs likes loves hates enjoys means".split())
_LIKED = frozenset({"in", "of", "by", "about"})
_NO_OBJECT = (
    _AUXILIARIES
    | _PERSONAL
    | frozenset(
        "for on at from of to who and but with by not never am like so just he she they it because if then "
        "than or really".split()
    )
)
_AFTER_VERB = frozenset({"a", "an", "the", "their", "his", "her", "to"})
_OFTEN = frozenset(
    "every mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends always usually mostly".split()
)
_SPANS = frozenset("years year months month weeks week days hours minutes ages".split())
_LIKE_NOUNS = frozenset("used applied animated advanced cured baked red organized left set cut".split())
_RELATIVE = frozenset("how what why who that when where which whether whose whom".split())
_COMMON = frozenset(
    "live work love like hate enjoy prefer want need play study own speak teach run go do make come know use see say "
    "think keep hope start stay sleep eat drink read write collect drive travel sing paint cook bake hike swim "
    "volunteer attend suffer serve call call take give get have bring buy sell build grow help feel find leave meet "
    "move pay put raise ride send show sit stand tell try turn visit wait walk watch wear win believe begin belong "
    "cost cover deal depend design develop die end expect fly follow guard hold include involve lead learn lie look "
    "lose manage mean mind open own pass perform plan produce provide publish reach receive refuse remain rent require "
    "rescue retire return sell share smoke smell snore sound spend struggle support talk taste tend train trust weigh "
    "bark chase climb dance draw fish golf hunt knit race sail surf tour vote worry adore dislike despise fear miss "
    "admire respect avoid allow remind treat annoy hurt affect contain date last happen occur start stop fall feature "
    "focus specialize specialise star stem revolve range rank repair restore save search shop sponsor stream teach "
    "tutor wake warn wash welcome wish wonder yell complain owe ask close cry swear stop mix choose sign expect".split()
)


def fault_of(content: str) -> str:
    tokens = _unquoted(tokens_of(content.rstrip(" .!")))
    words = lows(tokens)
    if any(_is_out_of_person(tokens, place) for place in range(1, len(tokens))):
        return "it speaks in the words of a chat"
    if any(token.low in _ENDING_MARKS for token in tokens):
        return "it is more than one sentence"
    if (
        words[-1:]
        and (words[-1] in _DANGLING or not tokens[-1].is_word)
        and words[-1] not in {")", '"', "'", "'s", "%"}
    ):
        return "it breaks off"
    verbs = _SAYING if words[1:2] == ("'s",) else _SAYING | _WANTING
    if any(first in verbs and second in _AUXILIARIES for first, second in pairwise(words)):
        return "it has two predicates in one"
    if _is_ill_formed(words):
        return "its verb is in the wrong person"
    if _runs_on(words):
        return "it is more than one sentence"
    if _has_stranger(tokens):
        return "nobody knows who is meant"
    return _predicate_fault(tokens) or _pointing_fault(words, verb_at(tokens)) or _object_fault(words)


def _runs_on(words: Sequence[str]) -> bool:
    """ "User can't sleep, the neighbours are loud", "…, which makes them happy": another one behind the comma."""
    for at, word in enumerate(words[:-2]):
        if word != ",":
            continue
        if words[at + 1] == "which":
            return True
        end = next((place for place in range(at + 1, len(words)) if words[place] == ","), len(words))
        is_clause = not _AUXILIARIES.isdisjoint(words[at + 2 : end])
        if is_clause and words[at + 1] not in _AUXILIARIES | _JOINING | _LISTING:
            return True
    return False


def _is_ill_formed(words: Sequence[str]) -> bool:
    """ "they is", "they am", "am" where no hour stands before it, and "two-faced years old"."""
    ages = [words[at - 1] for at in range(2, len(words) - 1) if words[at : at + 2] == ("years", "old")]
    if not all(all(figures_in([part]) for part in age.split("-")) for age in ages):
        return True
    return any(
        (second == "am" and not first[0].isdigit()) or (first == "they" and second in {"is", "was", "has", "does"})
        for first, second in pairwise(words)
    )


_LISTING = frozenset("or including such especially mainly mostly although though since as whose that because".split())


def _unquoted(tokens: Sequence[Token]) -> list[Token]:
    """Without what stands in quotes, such as titles; where a quote is not closed, nothing is left out."""
    places = [place for place, token in enumerate(tokens) if token.low in {'"', "“", "”", "«", "»"}]
    kept = list(tokens)
    for start, end in reversed(list(zip(places[::2], places[1::2], strict=False))):
        # One word stays in its place: a quotation may be the object.
        kept[start : end + 1] = [Token("Quote", "quote", tokens[start].start, tokens[end].end)]
    return kept


def _is_out_of_person(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.low in _PERSONAL:
        # "World War I" and "Call Me by Your Name" are names; "User I" is none.
        is_name = token.is_capital and tokens[place - 1].is_capital and place > 1
        is_title = token.is_capital and token.low != "i" and place > 1
        return not (is_name or is_title)
    is_drawn_out = len(token.low) > 3 and len(set(token.low[-3:])) == 1 and token.low[-1].isalpha()
    return not token.is_capital and (token.low in _CHATTED or is_drawn_out)


# ── the predicate ────────────────────────────────────────────────────────────────────────────────


def _predicate_fault(tokens: Sequence[Token]) -> str:
    verb = verb_at(tokens)
    if verb < 0:
        return "it has no predicate"
    return "" if _is_whole(tokens, verb) else "the predicate lacks what it needs"


def verb_at(tokens: Sequence[Token]) -> int:
    """Where the predicate begins; -1 where there is none."""
    words = lows(tokens)
    if words[1:2] in (("'s",), ("and",), (",",)):
        return next((at for at in range(3, len(tokens)) if _is_finite_after_noun(tokens, at)), -1)
    if words[1:2] and words[1] in _ATTRIBUTES and words[2:3] in (("is",), ("was",)):
        return 2
    at = next((at for at in range(1, len(words)) if not _is_passed_over(words[at])), -1)
    return at if at > 0 and _is_third_person(tokens[at]) else -1


def _is_passed_over(word: str) -> bool:
    return word in _PASSED_OVER - _AUXILIARIES or (word.endswith("ly") and word not in {"fly", "rely", "apply"})


def _is_third_person(token: Token) -> bool:
    low = token.low
    if low in _AUXILIARIES - _SINGULAR:
        return False
    if low in _SINGULAR or _is_past(low) or low in {"named", "called"}:
        return True
    # "googleses" has its ending twice.
    is_form = low.endswith("s") and not low.endswith(("ss", "eses")) and len(low) > 3 and low not in _NO_VERBS
    base = base_of_third(low)
    if base in ADVERBS | _PASSED_OVER:
        return False
    return is_form and not token.is_capital and not (_is_past(base) and base not in _COMMON | _SAME_FORMS)


def _is_past(low: str) -> bool:
    return (is_past_form(low) or low in PAST_FORMS or low in _PLAIN_PASTS) and low not in _PARTICIPLES


def _is_finite_after_noun(tokens: Sequence[Token], at: int) -> bool:
    token, before = tokens[at], tokens[at - 1]
    if before.low in {"who", "that", "which", "whose", "to"} or (token.is_capital and before.is_capital):
        return False
    if token.low in _AUXILIARIES or (_is_past(token.low) and before.low not in {"'s", "a", "an", "the", "of"}):
        return True
    after = tokens[at + 1].low if at + 1 < len(tokens) else ""
    if (
        token.low.endswith("s")
        and token.is_word
        and not token.is_capital
        and token.low not in PEOPLE | _NO_VERBS | {"boys", "girls"}
    ):
        is_somebody = before.low in PEOPLE or before.is_capital
        return is_somebody or base_of_third(token.low) in _COMMON | _ABSOLUTE or after in _AFTER_VERB
    is_plural = before.low.endswith("s") or before.low in {"children", "people", "folks"} or "and" in lows(tokens[:at])
    return token.low in _COMMON | _ABSOLUTE and (is_plural or _is_passed_over(before.low))


def _is_whole(tokens: Sequence[Token], verb: int) -> bool:
    """ "User has read", "User stopped overnight", "User takes it back": nothing is said that could be kept."""
    words = [word for word in lows(tokens[verb:]) if not _is_passed_over(word)]
    main = 0
    while main + 1 < len(words) and _is_helping(words[main], words[main + 1]):
        main += 1
    is_user = lows(tokens[1:2]) != ("'s",)
    if (
        is_user
        and base_of(words[main]) == "meet"
        and words[main + 1 : main + 2] != []
        and words[main + 1] in _PLACING - {"with"}
    ):
        return False
    hollow = _HOLLOW | {"them"} if base_of(words[main]) in {"tell", "ask", "show"} else _HOLLOW
    rest = [word for word in words[main + 1 :] if word not in hollow and word[0].isalnum()]
    if rest or any(word.endswith("ly") and word not in ADVERBS for word in lows(tokens[verb + 1 :])):
        return True
    base = base_of(words[main])
    is_phrase = any(f"{base}-{word}" in _PHRASAL for word in words[main + 1 :])
    if _is_past(words[main]) or words[main] in _PARTICIPLES:
        return is_phrase or base in _DONE
    return words[main] not in _AUXILIARIES and (is_phrase or base in _ABSOLUTE or base.endswith(("ise", "ize")))


def _is_helping(word: str, after: str) -> bool:
    """ "has read", "is swimming", "was born"; but "is married" says what somebody is."""
    if word in _COPULAS:
        return after in {"born", "gone", "been", "being"} or (after.endswith("ing") and _is_verb_form(after))
    return word in _AUXILIARIES and _is_verb_form(after)


def _is_verb_form(word: str) -> bool:
    """ "has read", "is swimming", "was born", "does speak": the verb stands behind."""
    return base_of(word) in _COMMON | _ABSOLUTE or word in _PARTICIPLES or word in {"be", "been", "being", "born"}


def base_of(word: str) -> str:
    if word in _COMMON | _ABSOLUTE:
        return word
    return base_of_past(word) or base_of_participle(word) or base_of_gerund(word) or base_of_third(word)


# ── what it points at ────────────────────────────────────────────────────────────────────────────


def _has_stranger(tokens: Sequence[Token]) -> bool:
    """ "User gets to see her at Christmas", with nobody who could be meant."""
    words = lows(tokens)
    if any(token.is_capital for token in tokens[1:4]) or not PEOPLE.isdisjoint(words):
        return False
    ends = _PLACING | _JOINING | _HOLLOW
    return any(
        word in {"he", "she", "him"} or (word == "her" and (at + 1 == len(words) or words[at + 1] in ends))
        for at, word in enumerate(words)
    )


def _pointing_fault(words: Sequence[str], verb: int) -> str:
    """A fact is read without the message: "it" and "this song" must not need one. Where the subject is another, "them"
    is the user."""
    is_user = words[1:2] != ("'s",)
    backward = _BACKWARD | {"them", "him"} if is_user else _BACKWARD
    after = [word for word in words[verb + 1 :] if not _is_passed_over(word)]
    if after[:1] and words[verb] in _AUXILIARIES and _is_verb_form(after[0]):
        after = after[1:]
    if after[:1] == ["that"] and len(after) == 2:
        return "nobody knows what 'that' is"
    if after[:1] and after[0] in backward - {"this", "these", "that", "those"} and after[1:2] not in _EXPLETIVE:
        return f"nobody knows what {after[0]!r} is"
    if "here" in words:
        return "nobody knows where 'here' is"
    if is_user and "together" in words and {"with", "and"}.isdisjoint(words):
        return "nobody knows with whom"
    for first, second in pairwise(words[2:6]):
        if first in {"this", "these"} and second not in _TIMES and words[words.index(first) - 1] not in _PLACING:
            return f"nobody knows which {second!r} is meant"
    if any(
        words[at : at + 2] in (("that", "is"), ("that", "was")) for at in range(verb + 1, min(verb + 5, len(words)))
    ):
        return "nobody knows what 'that' is"
    if words[-1:] and words[-1] in backward | {"one", "ones"} and _JOINING.isdisjoint(words[2:]):
        return f"nobody knows what {words[-1]!r} is"
    return ""


def _object_fault(words: Sequence[str]) -> str:
    """ "User is interested in have juice in their bag": what is liked is a thing, and no piece of a sentence."""
    at = next((at for at, word in enumerate(words[:8]) if word in {"interested", "passionate", "fan", "fond"}), -1)
    if at < 0 or at + 2 >= len(words) or words[at + 1] not in _LIKED:
        return ""
    liked = words[at + 2 :]
    is_verb = liked[0] in _PARTICIPLES or (_is_past(liked[0]) and liked[0] not in _LIKE_NOUNS)
    is_time = not _OFTEN.isdisjoint(liked) or ("for" in liked and liked[-1] in _SPANS)
    if is_time or any(first == second for first, second in pairwise(liked)):
        return "what is liked is no thing"
    if (
        is_verb
        or liked[0] in _NO_OBJECT | ADVERBS
        or liked[-1] in {"now", "though", "too", "please", "today", "tonight", "yesterday", "tomorrow"}
    ):
        return "what is liked is no thing"
    if any(base_of_third(word) in _COMMON and after in _AFTER_VERB | {"like"} for word, after in pairwise(liked[1:])):
        return "what is liked is no thing"
    is_clause = not _AUXILIARIES.isdisjoint(liked) and (
        _RELATIVE.isdisjoint(liked) or ("that", "is") in pairwise(liked)
    )
    return "what is liked is no thing" if is_clause else ""
