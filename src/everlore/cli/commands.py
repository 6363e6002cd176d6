"""Commands: functions whose parameters are the options of the command line.

A command with a parameter `lore` is async, and gets an open Everlore; one with `asked` gets the options that all
commands share (`--db`, `--workspace`, `--json`). The return value of a command is printed.

Start at `Commands`.
"""

import tomllib
from collections.abc import Callable, Iterable
from functools import wraps
from importlib.resources import files
from inspect import Parameter, iscoroutinefunction, signature
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

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


class _Group(TyperGroup):
    """Help under headings, and a suggestion for a name that other programs use."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if ctx.parent is None and args[0] not in self.commands and (suggestion := synonyms().get(args[0])):
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{suggestion}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer calls it with both
        """Under the headings that the commands name, with one column for all names."""
        shown: list[Any] = [each for each in self.commands.values() if not each.hidden]
        column = max(len(each.name) for each in shown)
        width = formatter.width - column - 6
        for panel in dict.fromkeys(each.rich_help_panel for each in shown):
            with formatter.section(panel or "Commands"):
                listed = [each for each in shown if each.rich_help_panel == panel]
                formatter.write_dl([(each.name.ljust(column), each.get_short_help_str(width)) for each in listed])


def synonyms() -> dict[str, str]:
    """What people type who know other programs, and the command that does it."""
    return tomllib.loads(files("everlore.cli").joinpath("synonyms.toml").read_text("utf-8"))


class Commands(typer.Typer):
    """A group of commands with plain help: the colored one takes a tenth of a second longer."""

    def __init__(self, **given: Any) -> None:
        super().__init__(rich_markup_mode=None, cls=_Group, **given)

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
