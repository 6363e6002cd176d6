"""The commands for prompt templates: list, show, lint, render, variables, save, versions, diff, delete (P1, P12)."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from everlore.cli.commands import Answer, Commands
from everlore.cli.files import read_whole
from everlore.cli.options import AsJson, argument, flag, option, optional
from everlore.cli.output import emit, shown, shown_text, when
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.template import Problem
    from everlore.services.templates import Described, SavedTemplate, StoredTemplate
    from everlore.turn.xrays import Seen

template = Commands(name="template", help="Prompt templates: list, check, preview, save.")

_STANDARD_INPUT = "-"
_MOST_BYTES = 5_000_000
_TALK = "(messages)"

Name = Annotated[str, argument("NAME", "Name or id of a template.")]


@dataclass(frozen=True, slots=True)
class Linted:
    """The problems of one file: `errors` make it unusable, `warnings` do not."""

    file: str
    errors: "tuple[Problem, ...]"
    warnings: "tuple[Problem, ...]" = ()


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


@template.command("list")
async def list_templates(lore: "Everlore") -> Answer:
    """List the templates, those that come with Everlore first."""
    found = await lore.templates.all()
    return Answer({"items": [each.summary() for each in found], "next": None}, map(_list_line, found))


@template.command("show")
async def show(lore: "Everlore", name: Name) -> Answer:
    """Print the source of a template.

    Edit it and save it with `everlore template save`. With --json, also the resolved sections and where each comes
    from.
    """
    from everlore.domain.template import write_document

    kept = await lore.templates.get(name)
    written = write_document(kept.document)
    resolved = (await lore.templates.validate(written)).resolved
    sections = [{"name": each.name, "origin": each.origin} for each in resolved.sections] if resolved else []
    return Answer({**kept.summary(), "document": written, "sections": sections}, [_as_file(written)])


@template.command("lint")
async def lint(
    lore: "Everlore", files: Annotated[list[str], argument("FILE…", "Templates; - is standard input.")]
) -> Answer:
    """Check templates; print one line per problem.

    Parent templates may be among the files, saved, or built in. Errors end with exit code 2, warnings do not.
    """
    read = {file: _read_or_problem(file) for file in files}
    documents = [each for each in read.values() if isinstance(each, dict)]
    linted = [await _linted(lore, file, found, documents) for file, found in read.items()]
    well = not any(each.errors for each in linted)
    document = {"ok": well, "items": [_linted_document(each) for each in linted]}
    lines = [line for each in linted for line in _linted_lines(each)]
    return Answer(document, lines, exit_code=0 if well else BadAsk.exit_code)


@template.command("render")
async def render(
    lore: "Everlore",
    name: Annotated[str, argument("NAME|FILE", "A saved template, or a file; - is standard input.")],
    conversation: Annotated[
        str | None, option("--conversation", "ID", "The conversation.  [default: a sample scene]")
    ] = None,
    character: Annotated[str | None, optional("--character", "NAME|ID", "The character that replies.")] = None,
    message: Annotated[str, option("--message", "TEXT", "The message to reply to.")] = "",
    given: Annotated[
        list[str] | None, optional("--set", "KEY=VALUE", "A field of the config; may be repeated.")
    ] = None,
    account: Annotated[bool, flag("--account", "Add the sections, with their tokens.")] = False,
) -> Answer:
    """Preview the prompt of a template, message by message.

    Nothing is saved and no model is called. An unknown variable is an error.
    """
    from everlore.services.preview import PreviewRequest, preview

    config = read_config(given or [])
    written = _file_meant(name)
    wanted = PreviewRequest(
        conversation_id=conversation,
        content=message,
        character_id=(await lore.characters.named(character)).id if character is not None else None,
        config=config,
    )
    resolved = await lore.templates.resolved(name if written is None else written)
    seen = await preview(lore.resources, lore.scope, resolved, wanted)
    messages = [{"role": said.role, "content": said.content} for said in seen.messages]
    document = {"messages": messages, "warnings": seen.account["warnings"]}
    if account:
        document["account"] = seen.account
    warnings = _warning_lines(seen.account["warnings"])
    return Answer(document, _prompt_lines(seen, with_account=account), notes=warnings)


@template.command("variables")
def list_variables(as_json: AsJson = False) -> None:
    """List the template variables.

    With how often each changes: stable values go first in a prompt, values that change each turn go last.
    """
    from everlore.services.templates import variables

    found = variables()
    items = [{"name": each.name, "about": each.about, "pace": _pace(each)} for each in found]
    width = max(len(each.name) for each in found)
    lines = (f"{each.name:<{width}}  {_pace(each).replace('_', ' '):<9}  {each.about}" for each in found)
    emit(as_json, {"items": items}, lines)


@template.command("save")
async def save(
    lore: "Everlore", file: Annotated[str, argument("FILE", "A template as JSON; - is standard input.")]
) -> Answer:
    """Save a template, or a new version of the template with the same name.

    Older, flat prompt configs work too.
    """
    saved = await _kept(lore, _read(file))
    document = {
        **saved.kept.summary(),
        "warnings": [_problem_document(each) for each in saved.warnings],
        "notes": saved.notes,
    }
    kept = saved.kept
    lines = [f"Saved {shown(kept.document.name)}, version {kept.document.version} ({kept.id})."]
    return Answer(document, lines, notes=_warning_lines([*map(str, saved.warnings), *saved.notes]))


@template.command("versions")
async def versions(lore: "Everlore", name: Name) -> Answer:
    """List the versions of a template, the newest first."""
    found = await lore.templates.versions((await lore.templates.get(name)).id)
    items = [{"version": each.version, "created_at": each.created_at, "document": each.document} for each in found]
    lines = (f"{each.version:>4}  {when(each.created_at)}" for each in found)
    return Answer({"items": items, "next": None}, lines)


@template.command("diff")
async def diff(
    lore: "Everlore",
    name: Name,
    before: Annotated[int, argument("FROM", "A version.")],
    after: Annotated[int, argument("TO", "Another one.")],
) -> Answer:
    """Compare two versions of a template."""
    text = await lore.templates.diff((await lore.templates.get(name)).id, before, after)
    return Answer({"from": before, "to": after, "diff": text}, [shown_text(text) or "No differences."])


@template.command("delete")
async def delete(lore: "Everlore", name: Name) -> Answer:
    """Delete a template for good, with all its versions.

    Conversations that use it fall back to the default.
    """
    kept = await lore.templates.get(name)
    await lore.templates.delete(kept.id)
    document = {"id": kept.id, "name": kept.document.name}
    return Answer(document, [f"Deleted {shown(kept.document.name)} ({shown(kept.id)})."])


# ── input ────────────────────────────────────────────────────────────────────────────────────────


def _read(file: str) -> dict[str, Any]:
    data = _standard_input() if file == _STANDARD_INPUT else read_whole(Path(file), most=_MOST_BYTES)
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadAsk(f"{file!r} is not UTF-8 (byte {error.start}). Convert it first, with iconv say.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise BadAsk(f"{file!r} is not JSON: {error}. A template is one JSON object.") from None
    if not isinstance(found, dict):
        raise BadAsk(f"{file!r} holds a {type(found).__name__}. A template is one JSON object.")
    return found


def _standard_input() -> bytes:
    data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise BadAsk(f"Standard input has more than {_MOST_BYTES:,} bytes. That is too long for a template.")
    return data


def _read_or_problem(file: str) -> "dict[str, Any] | Problem":
    from everlore.domain.template import Problem

    try:
        return _read(file)
    except BadAsk as error:
        return Problem("", "", str(error))


def _file_meant(name: str) -> dict[str, Any] | None:
    """The content of the file of that name; None if there is none, so that a saved template is meant."""
    is_file = name == _STANDARD_INPUT or name.endswith(".json") or _exists(name)
    return _read(name) if is_file else None


def _exists(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:
        # The name of a template may be too long for a file name.
        return False


def read_config(given: Sequence[str]) -> dict[str, Any]:
    """`key=value` as fields of a config. A value is parsed as JSON if possible, otherwise it is a text."""
    from everlore.domain.config import ConversationConfig

    config: dict[str, Any] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals:
            raise BadAsk(f"--set {each!r} has no value. Write it like --set include_scene=true.")
        field = ConversationConfig.model_fields.get(key.strip())
        is_text = field is not None and field.annotation is str
        config[key.strip()] = value if is_text else _value(value)
    return config


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


async def _kept(lore: "Everlore", written: Mapping[str, Any]) -> "SavedTemplate":
    resolved = (await lore.templates.validate(written)).resolved
    mine = [each for each in await lore.templates.all() if not each.built_in]
    same = [each for each in mine if resolved and each.document.name == resolved.name]
    if same:
        return await lore.templates.edit(same[0].id, written, version=same[0].document.version)
    return await lore.templates.create(written)


async def _linted(
    lore: "Everlore", file: str, found: "dict[str, Any] | Problem", beside: Sequence[Mapping[str, Any]]
) -> Linted:
    if not isinstance(found, dict):
        return Linted(file, (found,))
    checked = await lore.templates.validate(found, beside=[each for each in beside if each is not found])
    return Linted(file, checked.errors, checked.warnings)


# ── output ───────────────────────────────────────────────────────────────────────────────────────


def _list_line(kept: "StoredTemplate") -> str:
    document = kept.document
    whose = "built-in" if kept.built_in else f"version {document.version}"
    parent = f", extends {document.extends}" if document.extends else ""
    about = f": {document.description}" if document.description else ""
    return f"{shown(kept.id)}  {shown(document.name)} ({whose}{shown(parent)}){shown(about)}"


def _as_file(written: Mapping[str, Any]) -> str:
    """JSON for a terminal and for a file alike: characters that control a terminal are escaped."""
    text = json.dumps(written, indent=2, ensure_ascii=False)
    return "".join(each if shown_text(each) == each else f"\\u{ord(each):04x}" for each in text)


def _linted_document(linted: Linted) -> dict[str, object]:
    return {
        "file": linted.file,
        "valid": not linted.errors,
        "errors": [_problem_document(each) for each in linted.errors],
        "warnings": [_problem_document(each) for each in linted.warnings],
    }


def _problem_document(problem: "Problem") -> dict[str, str]:
    field = ".".join(part for part in (problem.where, problem.field) if part)
    return {"field": field, "message": problem.message}


def _linted_lines(linted: Linted) -> Iterator[str]:
    for problem in linted.errors:
        yield shown(f"{linted.file}: {problem}")
    for problem in linted.warnings:
        yield shown(f"{linted.file}: warning: {problem}")
    if not (linted.errors or linted.warnings):
        yield shown(f"{linted.file}: ok")


def _prompt_lines(seen: "Seen", *, with_account: bool) -> Iterator[str]:
    for place, said in enumerate(seen.messages):
        if place:
            yield ""
        yield f"[{said.role}]"
        yield shown_text(said.content)
    if with_account:
        yield from _account_lines(seen.account)


def _account_lines(account: Mapping[str, Any]) -> Iterator[str]:
    sections = account["sections"]
    width = max(len(_TALK), *(len(each["name"]) for each in sections))
    yield ""
    for each in sections:
        why = f"  {each['why']}" if each["why"] else ""
        yield shown(f"{each['name']:<{width}}  {each['tokens']:>7,} tokens  {each['place']}{why}")
    talk = sum(each["tokens"] for each in account["messages"] if each["role"] != "system")
    yield f"{_TALK:<{width}}  {talk:>7,} tokens"
    share = account["used"] / account["window"]
    reserve = f"{account['reserve']:,} reserved for the reply"
    yield f"{account['used']:,} of {account['window']:,} tokens ({share:.0%}); {reserve}."


def _pace(variable: "Described") -> str:
    return variable.pace.name.lower()


def _warning_lines(warnings: Sequence[str]) -> Iterator[str]:
    return (f"warning: {shown(each)}" for each in warnings)
