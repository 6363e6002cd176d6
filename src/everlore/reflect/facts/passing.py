"""Whether a fact is over by tomorrow: a mood, a doing of the moment, a figure of speech, a thing of the task. Pure.

In: a fact in our form ("User is making dinner"), or a clause as it was said ("I'm making dinner"). Out: yes or no.
Only what is positively known to pass is called so: a good model's fact that no list knows is kept. Whatever says that
it goes on ("every morning", "since 2010") never passes.

Start at `is_passing`. The words are in `passingwords.py`, and those that the rules know too in `rules/lastingwords.py`.
"""

from collections.abc import Callable, Sequence

from everlore.reflect.clauses import Token, lows, tokens_of
from everlore.reflect.facts import passingwords as known
from everlore.reflect.facts.shape import base_of, verb_at
from everlore.reflect.facts.vocabulary import LIKING, PAST_FORMS, PEOPLE, stem_of
from everlore.reflect.rules.lastingwords import IDIOMS, MOODS, STAYING
from everlore.reflect.rules.verbs import base_of_gerund

_MOST_CHARS = 600
_FEELING = frozenset({"feels", "felt", "feel", "feeling"})
_LATELY = frozenset({"yesterday", "then", "lunch", "breakfast"})
_SPANS = frozenset("weeks week months month year years decades ages".split())
_LEFT_OUT = frozenset({"not", "does", "really", "just", "got", "only"})
_MOODS = MOODS - known.NATURES
_PERCEIVING = frozenset({"read", "hear", "see", "notice"})


def is_passing(text: str) -> bool:
    tokens = _told(tokens_of(text[:_MOST_CHARS]))
    at = verb_at(tokens)
    if at < 0:
        return False
    subject, predicate = lows(tokens[:at]), lows(tokens[at:])
    if _goes_on(predicate):
        return False
    if any(_holds(predicate, *each) for each in known.FIGURES):
        return True
    return any(check(subject, predicate) for check in _CHECKS)


_THIRD = {
    "am": "is", "are": "is", "have": "has", "do": "does", "were": "was", "feel": "feels", "need": "needs",
    "want": "wants", "guess": "guesses", "mean": "means", "agree": "agrees",
}  # fmt: skip


def _told(tokens: Sequence[Token]) -> list[Token]:
    """ "I am tired" as "User is tired": a clause is looked at as if it were a fact."""
    if tokens and tokens[0].low in {"i", "we"}:
        return [_as(tokens[0], "User"), *(_as(each, _THIRD.get(each.low, each.text)) for each in tokens[1:])]
    if tokens and tokens[0].low in {"my", "our"}:
        return [_as(tokens[0], "User"), _as(tokens[0], "'s"), *tokens[1:]]
    return list(tokens)


def _as(token: Token, text: str) -> Token:
    return Token(text, text.lower(), token.start, token.end)


def _goes_on(words: Sequence[str]) -> bool:
    """ "every day", "for three weeks", "by nine", "as a child"; "never" is said of a life. Yesterday is not long."""
    if not _LATELY.isdisjoint(words):
        return not (known.HABITUAL - {"since"}).isdisjoint(words)
    if not known.HABITUAL.isdisjoint(words) or not {"never", "by"}.isdisjoint(words) or _holds(words, "as", "a"):
        return True
    return any(
        word in {"for", "in", "over"} and not _SPANS.isdisjoint(words[at + 1 : at + 4]) for at, word in enumerate(words)
    )


def _is_user(subject: Sequence[str]) -> bool:
    return subject[1:2] != ("'s",)


def _is_somebody(subject: Sequence[str]) -> bool:
    return not PEOPLE.isdisjoint(subject)


def _holds(words: Sequence[str], *sought: str) -> bool:
    return any(tuple(words[at : at + len(sought)]) == sought for at in range(len(words)))


def says_now(words: Sequence[str]) -> bool:
    return any(_holds(words, *each) for each in known.NOWS)


# ── moods ────────────────────────────────────────────────────────────────────────────────────────


def _is_mood(subject: Sequence[str], predicate: Sequence[str]) -> bool:
    rest = _behind(predicate, known.BEING)
    if rest[:2] == ("about", "to"):
        return all(stem_of(word) not in known.TURNS for word in rest[2:4])
    if not rest or not (_is_user(subject) or _is_somebody(subject)):
        return False
    if not _FEELING.isdisjoint(predicate) and (len(rest) == 1 or rest[0] == "like"):
        return True
    if _is_figure(rest) or _is_about(rest):
        return True
    if rest[0] in STAYING | known.SETTLED or any(stem_of(word) in LIKING for word in rest[:2]):
        return False
    return _is_felt(rest, is_user=_is_user(subject)) or (
        _is_user(subject) and says_now(predicate) and not rest[0].endswith("ing")
    )


def _is_felt(rest: Sequence[str], *, is_user: bool) -> bool:
    """ "tired", "nervous about tomorrow"; not "good at chess", and of others not "dead"."""
    first, after = rest[0], rest[1] if len(rest) > 1 else ""
    if first in {"done", "finished", "busy"}:
        return True
    is_weary = first in {"tired", "sick", "bored"} and after == "of"
    if first not in _MOODS or is_weary or (first in known.MAY_HOLD and after in known.HOLDING):
        return False
    return (after in known.AFTER_MOOD or after in MOODS) and (is_user or first not in known.OF_OTHERS)


def _behind(predicate: Sequence[str], verbs: frozenset[str]) -> Sequence[str]:
    """What stands behind the last of these verbs, without "so" and "very"; nothing where none of them leads."""
    start = 0
    while start < len(predicate) and (predicate[start] in verbs or predicate[start] in known.HELPING):
        start += 1
    if verbs.isdisjoint(predicate[:start]):
        return ()
    if predicate[start : start + 1] in (("a",), ("an",)) and predicate[start + 1 : start + 2] != ("bit",):
        return predicate[start:]
    while start < len(predicate) and predicate[start] in known.INTENSE:
        start += 1
    return predicate[start:]


_OWN = {"their": "my", "them": "me"}


def _is_figure(rest: Sequence[str]) -> bool:
    """A figure of speech, to its end: "the best" is one, "the best man at their wedding" is none."""
    said = tuple(_OWN.get(word, word) for word in rest)
    return any(
        said[: len(each)] == each and (len(rest) == len(each) or rest[len(each)] in known.AFTER_MOOD) for each in IDIOMS
    )


def _is_about(rest: Sequence[str]) -> bool:
    """Where somebody is at the moment: "off to their nan's", "in the bath", "on their third coffee"."""
    if rest[0] == "off":
        return True
    is_some = rest[1:2] in (("a",), ("an",))
    return rest[0] in {"in", "on", "at"} and not is_some and not known.ABOUT.isdisjoint(rest[1:4])


# ── what is done, had and promised at the moment ─────────────────────────────────────────────────


def _is_doing(subject: Sequence[str], predicate: Sequence[str]) -> bool:
    doing = next(
        (at for at, word in enumerate(predicate[:5]) if at and word.endswith("ing") and base_of_gerund(word)), 0
    )
    if not doing or not all(word in known.INTENSE | known.BEING | {"has"} for word in predicate[:doing]):
        return False
    base, rest = base_of_gerund(predicate[doing]) or "", predicate[doing + 1 :]
    if "not" in predicate[:doing] or not known.PURSUED.isdisjoint(rest):
        return False
    if base in known.AT_THE_MOMENT:
        return True
    return _is_user(subject) and (not rest or not set(known.DOING.get(base, "").split()).isdisjoint(rest[:4]))


def _is_had(subject: Sequence[str], predicate: Sequence[str]) -> bool:
    is_perfect = len(predicate) > 1 and (predicate[1].endswith("ed") or predicate[1] in PAST_FORMS - {"got"})
    if not _is_user(subject) or is_perfect:
        return False
    words = [word for word in predicate if word not in _LEFT_OUT]
    match words[:1]:
        case ["had"]:
            return _head(words[1:]) in known.HAD_THEN
        case ["has" | "have"]:
            return _head(words[1:]) in known.HAD or _holds(words, "in", "front", "of")
        case ["needs" | "wants" | "need" | "want"]:
            return says_now(words) or _is_needed(words[1:])
        case ["would"]:
            return (
                words[1:3] == ["like", "to"] and words[3:4] != [] and words[3] in known.RESUMED and _is_talk(words[4:])
            )
    return False


def _is_needed(words: Sequence[str]) -> bool:
    if words[:1] == ["to"]:
        return words[1:2] != [] and words[1] in known.WANTED and known.WORTHY.isdisjoint(words[2:])
    return _head(words) in known.NEEDED


def _is_talk(words: Sequence[str]) -> bool:
    return not words or not known.TALKED.isdisjoint(words)


def _head(words: Sequence[str]) -> str:
    """The noun of a phrase: "five minutes before the meeting" are minutes."""
    words = [word for word in words if word not in {"today", "tonight", "yesterday", "now"}]
    if words[1:2] == ["of"] and words[0] in {"kind", "sort", "bit"}:
        words = words[2:]
    ends = (at for at, word in enumerate(words) if at and (word in known.PHRASE_ENDS or not word[0].isalnum()))
    return words[next(ends, len(words)) - 1] if words else ""


def _is_promise(subject: Sequence[str], predicate: Sequence[str]) -> bool:
    """ "will write later", "is going to try"; where a time is named it is a plan."""
    words = [word for word in predicate if word not in known.INTENSE]
    rest = words[1:] if words[:1] == ["will"] else words[3:] if words[:3] == ["is", "going", "to"] else []
    if not rest or not _is_user(subject):
        return False
    is_dated = not known.DATED.isdisjoint(words) or any(word[0].isdigit() for word in words)
    return rest[:2] == ["have", "the"] or (rest[0] in known.PROMISED and not is_dated)


def _is_unfed(_: Sequence[str], predicate: Sequence[str]) -> bool:
    """ "has not had breakfast", "has not eaten since yesterday"."""
    words = [word for word in predicate if word not in known.INTENSE]
    if "not" not in predicate[:3] or words[:1] not in (["has"], ["have"]):
        return False
    return words[1:2] in (["eaten"], ["slept"]) or (words[1:2] == ["had"] and not known.MEALS.isdisjoint(words[2:4]))


# ── deeds and words of the moment ────────────────────────────────────────────────────────────────


def _is_deed(subject: Sequence[str], predicate: Sequence[str]) -> bool:
    words = [word for word in predicate if word not in known.INTENSE - {"a"}]
    if not _is_user(subject) or not words:
        return False
    base = base_of(words[0])
    if predicate[-1] == "again" and words[0] not in known.BEING:
        return known.LASTING_DEEDS.isdisjoint(map(stem_of, words[:3]))
    if base in known.DEEDS or stem_of(base) in known.DEED_STEMS:
        return not (base == "mean" and len(words) > 4) and not (base == "burn" and words[1:2] in (["out"], ["down"]))
    is_played = not known.PLAYED.isdisjoint(words) and base not in known.OWNED
    return is_played or predicate[-1] == "earlier" or _holds(words, "had", "the", "best")


def _is_word(subject: Sequence[str], predicate: Sequence[str]) -> bool:
    """About the talk and not about a life: "did not say that", "takes it back", "can hear the rain"."""
    words = [word for word in predicate if word not in known.INTENSE - {"a"}]
    if not _is_user(subject) or len(words) < 2:
        return False
    first, second, base = words[0], words[1], base_of(words[0])
    if first == "would" and "rather" in predicate[:3]:
        return "than" not in words
    if "not" in predicate[:3] and first in {"can", "could", "did", "does"}:
        return base_of(second) in known.SAID_SO and len(words) <= 6 and not _is_meant(words[1:])
    if first == "can":
        return second in known.SENSES
    if first == "thinks":
        return not known.OF_THE_TALK.isdisjoint(words)
    if stem_of(first) in known.ATTITUDES:
        return second in {"everything", "everyone", "today", "it"}
    return (base in _PERCEIVING and "that" in words[1:3]) or (
        base in {"take", "give", "get"} and second in {"it", "that"}
    )


def _is_meant(words: Sequence[str]) -> bool:
    """ "can't find a job", "doesn't believe in God", "doesn't talk to their brother": no manner of speaking."""
    if words[0] == "find":
        return known.MISLAID.isdisjoint(words)
    return words[:2] in (["talk", "to"], ["believe", "in"], ["sleep", "without"], ["sleep", "with"])


# ── things ───────────────────────────────────────────────────────────────────────────────────────


def _is_of_a_thing(subject: Sequence[str], predicate: Sequence[str]) -> bool:
    if _is_user(subject) or _is_somebody(subject):
        return False
    thing = subject[-1]
    if _holds(predicate, "right", "now") or _holds(predicate, "at", "the", "moment"):
        return True
    if thing in known.TASK and predicate[0] not in {"is", "was"}:
        return True
    if thing in known.BODY and base_of(predicate[0]) in {"smell", "hurt", "ache", "itch", "shake", "tingle"}:
        return True
    is_thing = thing in known.THINGS | known.TASK | known.BODY and subject[2] not in known.KINDS
    return is_thing and _is_state(predicate)


def _is_state(predicate: Sequence[str]) -> bool:
    """ "late", "in the car", "at 3%"; not "on the 5th of July", and not what a thing is: "a Pixel 7"."""
    rest = _behind(predicate, known.BEING)
    if not rest or rest[0] in known.DEFINING or rest[0][0].isdigit() or predicate[1:2] == ("a",):
        return False
    if any(word[0].isdigit() and word.endswith(("st", "nd", "rd", "th")) for word in predicate):
        return False
    return rest[0] in MOODS | known.BROKEN | {"at", "in", "on", "due", "all"} or says_now(rest)


_CHECKS: tuple[Callable[[Sequence[str], Sequence[str]], bool], ...] = (
    _is_mood,
    _is_doing,
    _is_had,
    _is_promise,
    _is_unfed,
    _is_deed,
    _is_word,
    _is_of_a_thing,
)
