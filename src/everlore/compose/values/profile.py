"""How the two relate to each other: by age, race, statistics, and past interactions (P5).

Factual, and empty if nothing is known or there is nobody to compare with.
"""

from collections.abc import Callable, Iterable

from everlore.compose.context import Context
from everlore.compose.values.wording import joined
from everlore.compose.variables import Pace, Variable, VariableView
from everlore.domain.interaction import Interaction, InteractionType, Tone, tone_of
from everlore.domain.person import Person

_ADULT = 18
_SAME_AGE = 2
_STATISTICS = {"intelligence": "intelligence", "mental_strength": "mental strength", "charisma": "charisma"}
_STATISTIC_RANGE = (1, 20)
# The average difference of the statistics of both; a smaller one would not be noticed.
_LEADS_BY = 2
_ROMANTIC = frozenset({InteractionType.ROMANCE, InteractionType.DATE, InteractionType.INTIMATE})
_PARTING = frozenset({InteractionType.BREAK_UP, InteractionType.SEPARATE})


def _of_two(tell: Callable[[VariableView, Person, Person], str]) -> Callable[[VariableView], str]:
    def value(view: VariableView) -> str:
        context = view.context
        return tell(view, context.character, context.user) if context.user else ""

    return value


def _both(view: VariableView) -> str:
    return f"{view.get('system.firstName')} and {view.get('user.firstName')}"


def _name(view: VariableView, person: Person) -> str:
    return view.get("system.firstName" if person is view.context.character else "user.firstName")


# ── age and race ─────────────────────────────────────────────────────────────────────────────────


def _age(view: VariableView, one: Person, other: Person) -> str:
    if one.age is None or other.age is None:
        return ""
    years = abs(one.age - other.age)
    older, younger = (one, other) if one.age > other.age else (other, one)
    apart = f"{_name(view, older)} is {years} years older than {_name(view, younger)}."
    told = f"{_both(view)} are of about the same age." if years <= _SAME_AGE else apart
    return joined((told, _minors_told(view, one, other)), " ")


def _minors_told(view: VariableView, one: Person, other: Person) -> str:
    names = [_name(view, person) for person in _minors(one, other)]
    return f"{' and '.join(names)} {'is a minor' if len(names) == 1 else 'are minors'}." if names else ""


def _minors(*persons: Person) -> list[Person]:
    return [person for person in persons if person.age is not None and person.age < _ADULT]


def _race(view: VariableView, _one: Person, _other: Person) -> str:
    race, other = view.get("system.race"), view.get("user.race")
    if not race or not other:
        return ""
    if race.casefold() == other.casefold():
        return f"{_both(view)} are of the same race: {race}."
    names = (view.get("system.firstName"), view.get("user.firstName"))
    return f"{names[0]}'s race is {race}, {names[1]}'s is {other}; that alone neither joins nor divides them."


# ── romance ──────────────────────────────────────────────────────────────────────────────────────


def _romance(view: VariableView, one: Person, other: Person) -> str:
    if _minors(one, other):
        return f"Romance between {_both(view)} is out of the question. {_minors_told(view, one, other)}"
    passed = _passed(view.context, one, other)
    if one.age is None or other.age is None:
        return _romance_so_far(view, passed)
    return f"Both are adults. {_romance_so_far(view, passed) or _terms(passed)}"


def _passed(context: Context, one: Person, other: Person) -> list[Interaction]:
    """Past interactions of the two, oldest first."""
    two = {one.id, other.id}
    between = [each for each in context.interactions if {each.actor_id, each.interactor_id} == two]
    return sorted(between, key=lambda each: (each.started_at, each.id))


def _romance_so_far(view: VariableView, passed: Iterable[Interaction]) -> str:
    telling = [each.type for each in passed if each.type in _ROMANTIC | _PARTING]
    if not any(kind in _ROMANTIC for kind in telling):
        return ""
    return f"{_both(view)} {'were close, and have parted' if telling[-1] in _PARTING else 'are close to each other'}."


def _terms(passed: Iterable[Interaction]) -> str:
    tones = [tone_of(each.type) for each in passed]
    good, bad = tones.count(Tone.POSITIVE), tones.count(Tone.NEGATIVE)
    if good == bad:
        return "Nothing speaks for a romance, and nothing against it."
    return "They have been on good terms." if good > bad else "They have been at odds."


# ── who leads ────────────────────────────────────────────────────────────────────────────────────


def _leader(view: VariableView, one: Person, other: Person) -> str:
    leads = {
        name: _statistic(one, name) - _statistic(other, name) for name in _STATISTICS if _is_known(name, one, other)
    }
    if not leads:
        return ""
    lead = sum(leads.values()) / len(leads)
    if abs(lead) < _LEADS_BY:
        return f"Neither {view.get('system.firstName')} nor {view.get('user.firstName')} leads by nature."
    leader, led = (one, other) if lead > 0 else (other, one)
    ahead = [_STATISTICS[name] for name, by in leads.items() if by * lead > 0]
    return f"{_name(view, leader)} tends to lead {_name(view, led)}, being ahead in {', '.join(ahead)}."


def _is_known(name: str, *persons: Person) -> bool:
    return all(_statistic(person, name) > 0 for person in persons)


def _statistic(person: Person, name: str) -> float:
    """Zero if it is missing or out of range."""
    least, most = _STATISTIC_RANGE
    value = person.statistics.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return value if least <= value <= most else 0


VARIABLES = {
    "profile.ageCompat": Variable(_of_two(_age), "How the ages of the two compare."),
    "profile.romanceCompat": Variable(
        _of_two(_romance), "Whether romance is possible, and its state; never with a minor.", pace=Pace.SLOW
    ),
    "profile.raceCompat": Variable(_of_two(_race), "Whether the two have the same race."),
    "profile.leader": Variable(
        _of_two(_leader), "Which of the two tends to lead, by intelligence, mental strength and charisma."
    ),
}
