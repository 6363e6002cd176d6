"""What each rule brings: how many statements it made, and how many of them were right and wrong.

In: statements with a verdict; None where it is neither right nor wrong. Out: counts by the name of the rule, those that
said most first. What a model said has no rule, and is not counted.
"""

from collections import Counter
from collections.abc import Iterable

from everlore.learning.candidate import Candidate


def brought(judged: Iterable[tuple[Candidate, bool | None]]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for candidate, is_right in judged:
        if candidate.rule:
            count = counts.setdefault(candidate.rule, Counter(said=0, right=0, wrong=0))
            count["said"] += 1
            count["right"] += is_right is True
            count["wrong"] += is_right is False
    common = sorted(counts.items(), key=lambda each: (-each[1]["said"], each[0]))
    return {rule: dict(count) for rule, count in common}
