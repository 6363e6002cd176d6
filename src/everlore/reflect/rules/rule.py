"""The name of the rule that made a statement, on the statement: `home.stated`, `skills._playing`.

A rule is a function that makes candidates of a clause. Of rules that ask one another, the innermost is named: it is the
one that knew. `everlore bench extract --by-rule` tells what each of them brings.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import ParamSpec, TypeVar

from everlore.reflect.candidate import Candidate

P = ParamSpec("P")
T = TypeVar("T", list[Candidate], list[Candidate] | None)


def rule(function: Callable[P, T]) -> Callable[P, T]:
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"

    @wraps(function)
    def named(*args: P.args, **kwargs: P.kwargs) -> T:
        return with_rule(function(*args, **kwargs), name)

    return named


def with_rule(found: T, name: str) -> T:
    return found and [each if each.rule else replace(each, rule=name) for each in found]
