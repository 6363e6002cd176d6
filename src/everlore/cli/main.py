"""The `everlore` command: its subcommands, and the handling of every error.

Start at `run`.
"""

import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer

import everlore
from everlore.cli import (
    background,
    campaign,
    campaign_files,
    campaign_world,
    deleting,
    events,
    exits,
    interchange,
    knowledge,
    learning,
    lists,
    maintenance,
    memories,
    models,
    monitoring,
    review,
    summaries,
    template,
    tokens,
    webhooks,
    workspace_files,
)
from everlore.cli.chat import chat
from everlore.cli.commands import Commands
from everlore.cli.mcp import mcp
from everlore.cli.options import Db, Workspace
from everlore.cli.output import report, speak_utf8
from everlore.cli.session import told_before_the_verb
from everlore.errors import EverloreError

app = Commands(add_completion=False, pretty_exceptions_enable=False)

# In the order of `everlore --help`.
_SECTIONS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("Start", (background.serve, chat, workspace_files.demo, interchange.import_files, interchange.export)),
    ("Memories", (memories.remember, memories.recall, memories.forget, review.memories, knowledge.why_not)),
    ("Memories", (knowledge.misses, learning.refused, events.context)),
    ("Characters and who knows what", (lists.characters, knowledge.knowers, knowledge.knowledge, knowledge.partners)),
    ("Characters and who knows what", (knowledge.tell, knowledge.gossip, learning.interactions, learning.timeline)),
    ("Conversations", (lists.conversations, learning.extract, learning.keyframe, learning.analyze, learning.analyses)),
    ("Conversations", (summaries.summarize, summaries.summaries, deleting.delete)),
    ("Campaigns, agents and prompts", (campaign.campaign, events.event, template.template, mcp)),
    (
        "Server and data",
        (background.worker, background.jobs, models.models, tokens.token, webhooks.webhook, maintenance.doctor),
    ),
    (
        "Server and data",
        (maintenance.stats, monitoring.metrics, monitoring.audit, workspace_files.backup, workspace_files.restore),
    ),
    ("Server and data", (maintenance.migrate, maintenance.reindex, maintenance.cleanup)),
)
for _section, _commands in _SECTIONS:
    for _command in _commands:
        if isinstance(_command, Commands):
            app.add_typer(_command, rich_help_panel=_section)
        else:
            app.command({"import_files": "import"}.get(_command.__name__), rich_help_panel=_section)(_command)
interchange.export.command("workspace")(workspace_files.export_workspace)
campaign.campaign.command()(campaign_files.log)
campaign.campaign.command()(campaign_files.export)
campaign.campaign.command("import")(campaign_files.import_)
campaign.campaign.command()(campaign_world.ties)
campaign.campaign.command()(campaign_world.tie)
campaign.campaign.command()(campaign_world.untie)
campaign.campaign.command()(campaign_world.conflicts)
campaign.campaign.command()(campaign_world.rule)
campaign.campaign.add_typer(campaign_world.entity, name="entity")
campaign.campaign.add_typer(campaign_world.review, name="review")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"everlore {everlore.__version__}")
        raise typer.Exit


@app.callback()
def everlore_(
    version: Annotated[  # noqa: ARG001 - its callback has answered by then
        bool, typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version)
    ] = False,
    db: Db = None,
    workspace: Workspace = None,
) -> None:
    """Long-term memory for language-model characters, companions, agents and campaigns."""
    told_before_the_verb(db, workspace)


def run() -> None:
    """The entry point of the installed command."""
    speak_utf8()
    sys.exit(answer(sys.argv[1:] or ["--help"]))


def answer(args: Sequence[str], parser: Callable[[], Any] | None = None, name: str = "everlore") -> int:
    """Run the command that the arguments name; returns its exit code. Other programs pass their own parser."""
    as_json = "--json" in args
    try:
        code = _call((parser or verbs)(), args, name)
    except EverloreError as error:
        report(as_json, type(error).__name__, str(error))
        return error.exit_code
    except Exception as error:
        return _unexpected(as_json, error, name)
    if code == exits.INTERRUPTED:
        report(
            as_json,
            "Interrupted",
            "Interrupted. Everything acknowledged before is saved; you can run the command again.",
        )
    return code


@cache
def verbs() -> Any:
    """All commands as a parser. Building it takes longer than most of the commands."""
    return typer.main.get_command(app)


def _call(parser: Any, args: Sequence[str], name: str) -> int:
    result = parser.main(list(args), prog_name=name, standalone_mode=False)
    return result if isinstance(result, int) else exits.OK


def _unexpected(as_json: bool, error: Exception, name: str = "everlore") -> int:
    # Typer does not export its usage errors, and their class has moved between versions.
    usage = getattr(error, "format_message", None)
    if usage is not None:
        command = getattr(getattr(error, "ctx", None), "command_path", name)
        text = _usage_words(error, usage())
        report(as_json, "BadAsk", f"{text}{'' if text.endswith('?') else '.'} See `{command} --help`.")
        return int(getattr(error, "exit_code", 2))
    report(as_json, type(error).__name__, f"{type(error).__name__}: {error}. This is a bug; please report it.")
    if _debugging():
        traceback.print_exception(error)
    return exits.BUG


def _usage_words(error: Exception, message: str) -> str:
    """A value that does not fit is explained in plain words, not in the validator's."""
    found = getattr(error.__cause__, "errors", None)
    if found is None:
        return message.rstrip(".")
    from everlore.language.wrong_values import requirement

    [first, *_] = found()
    return f"{message.partition(':')[0]}: it {requirement(first)}, not {first['input']!r}"


def _debugging() -> bool:
    from everlore.wiring import read_settings

    try:
        return read_settings().log_level == "debug"
    except EverloreError:
        return False
