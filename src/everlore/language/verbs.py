"""Forms of English verbs: the base of a form, and the form for the third person.

In: a lower-case word. Out: its verb, or None if it is no such form. `irregular_verbs.txt` holds the forms that no
spelling rule derives.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from everlore.language.lists import listed


@dataclass(frozen=True, slots=True)
class _Irregular:
    """Maps each irregular form to its verb: "went" to "go"."""

    pasts: dict[str, str]
    participles: dict[str, str]


@cache
def _irregular() -> _Irregular:
    found = _Irregular({}, {})
    for line in files(__package__).joinpath("irregular_verbs.txt").read_text("utf-8").splitlines():
        base, pasts, participles = line.split()
        found.pasts.update(dict.fromkeys(pasts.split("/"), base))
        found.participles.update(dict.fromkeys(participles.split("/"), base))
    return found


def is_irregular_past(form: str) -> bool:
    """True for "went"; false for "put", which equals its base, and "bit", which is usually another word."""
    return form not in _NO_SIGN and _irregular().pasts.get(form, form) != form


def is_irregular(form: str) -> bool:
    """Whether it is a past form that no spelling rule derives: "went", "put"."""
    return form in _irregular().pasts


def base_of_past(form: str) -> str | None:
    """The verb of a past form: "live" for "lived", None for "need"."""
    return (_irregular().pasts.get(form) if form != "read" else None) or _base_of_regular(form)


def base_of_participle(form: str) -> str | None:
    return _irregular().participles.get(form) or _base_of_regular(form)


_NO_SIGN = frozenset("bit rose lit wound ground".split())
_KEEP = listed("verbs.in_ed")


def _base_of_regular(form: str) -> str | None:
    if not form.endswith("ed") or form in _KEEP or len(form) < 4:
        return None
    if form.endswith("ied"):
        return form[:-2] + "e" if len(form) == 4 else form[:-3] + "y"
    return _base(form[:-2])


def base_of_gerund(form: str) -> str | None:
    if (
        not form.endswith("ing")
        or len(form) < 5
        or form in {"thing", "something", "nothing", "everything", "anything", "morning", "evening", "king", "spring"}
    ):
        return None
    if form in {"dying", "lying", "tying"}:
        return form[:-4] + "ie"
    return _base(form[:-3])


_WITH_E = listed("verbs.stems_with_e")
_WITHOUT_E = listed("verbs.stems_without_e")
_VOWELS = frozenset("aeiou")
# Final letter of a stem, and the letters before it after which an "e" was dropped: "manag", "juggl", "rais".
_BEFORE_LOST = {"g": "draei", "l": "bdfgkptz", "s": "aeiou", "z": "aeiou"}


def _base(stem: str) -> str:
    if stem in _WITHOUT_E:
        return stem
    if stem in _WITH_E or _lost_e(stem):
        return stem + "e"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    return {"travell": "travel", "cancell": "cancel", "controll": "control", "enroll": "enrol"}.get(stem, stem)


def _lost_e(stem: str) -> bool:
    """Whether spelling rules require a final "e": no English verb ends in "v" or "u"; short stems double their end."""
    if len(stem) < 2:
        return False
    last, before = stem[-1], stem[-2]
    if last in "vuc" or before in _BEFORE_LOST.get(last, ""):
        return True
    earlier = stem[-3] if len(stem) > 2 else ""
    if stem.endswith("at") and len(stem) > 3 and earlier not in {"e", "o"}:
        return True
    syllables = sum(letter in _VOWELS and (at == 0 or stem[at - 1] not in _VOWELS) for at, letter in enumerate(stem))
    is_short = syllables == 1 and before in _VOWELS and last not in _VOWELS | set("wxy")
    return is_short and earlier not in _VOWELS


def base_of_third(form: str) -> str:
    """The base of a third-person form: "live" for "lives"; a form without "s" is its own base."""
    if form in {"has", "is", "does", "goes"}:
        return {"has": "have", "is": "be", "does": "do", "goes": "go"}[form]
    if not form.endswith("s") or form.endswith("ss") or len(form) < 4:
        return form
    if form.endswith("ies") and len(form) > 4:
        return form[:-3] + "y"
    if form.endswith(("ches", "shes", "xes", "sses", "zes")):
        return form[:-2]
    return form[:-1]


def third(verb: str) -> str:
    """The third-person form of a verb: "lives" for "live"."""
    if verb in {"have", "be", "do", "go"}:
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}[verb]
    if verb.endswith("y") and verb[-2:-1] not in set("aeiou"):
        return verb[:-1] + "ies"
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    return verb + "s"
