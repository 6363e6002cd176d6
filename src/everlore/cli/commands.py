"""Commands: functions whose parameters are the options of the command line.

A command with a parameter `lore` is async, and gets an open Everlore; one with `asked` gets the options that all
commands share (`--db`, `--workspace`, `--json`). The return value of a command is printed.

Start at `Commands`.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, iscoroutinefunction, signature
from typing import Any, NamedTuple

import typer

from everlore.cli.options import AsJson, Db, Workspace
from everlore.cli.output import emit, note
from everlore.cli.session import CommandOptions, with_lore

_SHARED = [
    Parameter("db", Parameter.KEYWORD_ONLY, default=None, annotation=Db),
    Parameter("workspace", Parameter.KEYWORD_ONLY, default=None, annotation=Workspace),
    Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=AsJson),
]


class Answer(NamedTuple):
    """What a command prints: `document` with `--json`; otherwise `lines`, and `notes` on standard error."""

    document: Any
    lines: Iterable[str]
    notes: Iterable[str] = ()
    exit_code: int = 0


class Commands(typer.Typer):
    """A group of commands with plain help: the colored one takes a tenth of a second longer."""

    def __init__(self, **given: Any) -> None:
        super().__init__(rich_markup_mode=None, **given)

    def command(self, name: str | None = None, **given: Any) -> Callable[[Any], Any]:
        register = super().command(name, **given)

        def decorate(function: Any) -> Any:
            register(_with_shared_options(function))
            return function

        return decorate


def _with_shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    all_parameters = signature(function).parameters
    own = [each for each in all_parameters.values() if each.name not in ("lore", "asked")]
    if len(own) == len(all_parameters):
        return function

    @wraps(function)
    def command(db: str | None, workspace: str | None, as_json: bool, **given: Any) -> None:
        asked = CommandOptions(db, workspace, as_json)
        if "asked" in all_parameters:
            given["asked"] = asked
        is_awaited = iscoroutinefunction(function)
        answer = with_lore(asked, lambda lore: function(lore, **given)) if is_awaited else function(**given)
        if answer is not None:
            emit(as_json, answer.document, answer.lines)
            for line in () if as_json else answer.notes:
                note(line)
            if answer.exit_code:
                raise typer.Exit(answer.exit_code)

    parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own] + _SHARED
    vars(command)["__signature__"] = signature(function).replace(parameters=parameters, return_annotation=None)
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command
