"""Guesses the kind of an entity from its name and from the words around it.

In: a name and its places. Out: a kind and its confidence. Start at `kind_of`.
"""

from collections import Counter
from collections.abc import Sequence

from everlore.campaign.entities.forms import form_of
from everlore.campaign.entities.runs import Run
from everlore.campaign.entities.words import is_english, listed
from everlore.domain.campaign import EntityKind

_WHERE = frozenset(
    "in at into inside outside near towards toward through across around beyond reach leave enter".split()
)
_THITHER = frozenset("to from for of".split())
_GOING = frozenset(
    "go goes went going come comes came coming get gets got travel travels travelled ride rides rode sail sails sailed "
    "head heads headed heading walk walks walked return returns returned back road way journey left reached entered "
    "escape escaped fled flee arrive arrived arrives visit visited lives lived born".split()
)
_HANDLING = frozenset(
    "wield wields wielded draw draws drew carry carries carried hold holds held holding use uses used grab grabs "
    "grabbed take takes took steal steals stole stolen open opens opened read reads wear wears wore wearing sell sells "
    "sold buy buys bought swing swings swung find finds found lost lose drop drops dropped pick picks "
    "picked with".split()
)
_BELONGING = frozenset(
    "join joins joined joining member members leader leaders agents agent ranks serve serves".split()
)
_SAID = frozenset("said says asked asks replied replies whispered whispers shouted shouts muttered mutters".split())
_WHEN = frozenset("during since after before until".split())


def kind_of(name: str, runs: Sequence[Run]) -> tuple[EntityKind, float]:
    votes: Counter[EntityKind] = Counter()
    _by_name(name, runs, votes)
    for run in runs:
        _by_neighbours(run, votes)
    if not votes:
        return _by_default(name, runs)
    (best, most), *others = votes.most_common()
    total = most + sum(count for _, count in others)
    return best, round(min(0.95, 0.45 + 0.5 * most / total * min(1.0, most / 3)), 3)


def _by_name(name: str, runs: Sequence[Run], votes: Counter[EntityKind]) -> None:
    form = form_of(name)
    has_article = any(run.article for run in runs)
    is_two_names = len(form.words) == len(form.core) == 2 and not is_english(form.words[0]) and not has_article
    if is_two_names and form.kind is None:
        # "Ilka Marsh" is a person, unless someone goes there.
        votes[EntityKind.NPC] += 2
    elif form.kind is not None:
        votes[form.kind] += 6
    elif len(form.words) == 2 and form.words[0] in listed("epithets") and not has_article:
        votes[EntityKind.NPC] += 2


def _by_neighbours(run: Run, votes: Counter[EntityKind]) -> None:
    before = run.before[-1:] if not run.article else run.before[-2:-1]
    word = before[0] if before else ""
    after = run.after[0] if run.after else ""
    if after in listed("personverbs"):
        votes[EntityKind.NPC] += 2
    if word in _SAID:
        votes[EntityKind.NPC] += 3
    if run.owns and not run.article:
        votes[EntityKind.NPC] += 1
    if word in _WHERE or (word in _THITHER and _GOING & set(run.before[-4:])):
        votes[EntityKind.LOCATION] += 2
    if word in _WHEN:
        votes[EntityKind.EVENT] += 1
    if word in _HANDLING:
        votes[EntityKind.ITEM] += 2 if run.article else 1
    if _BELONGING & set(run.before[-3:]):
        votes[EntityKind.FACTION] += 2


def _by_default(name: str, runs: Sequence[Run]) -> tuple[EntityKind, float]:
    form = form_of(name)
    has_article = any(run.article == "the" for run in runs)
    if has_article and all(is_english(word) for word in form.words):
        return EntityKind.FACTION if form.words[-1].endswith("s") else EntityKind.ITEM, 0.35
    if has_article:
        return EntityKind.LOCATION, 0.35
    return EntityKind.NPC, 0.5
