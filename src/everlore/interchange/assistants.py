"""Chats exported from ChatGPT and Claude: `conversations.json`, alone or inside the zip that both send (S-5).

In: the bytes of a file. Out: an `AssistantExport` with one `Chat` per conversation. Both formats are trees of messages:
the path that the user saw last becomes the chat, regenerated replies become alternatives. The report counts what is
left out. Start at `read_export`.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from everlore.domain.bounds import Json, Log
from everlore.domain.conversation import Author
from everlore.errors import BadAsk
from everlore.interchange import jsontext
from everlore.interchange.chats import Chat, ChatLine
from everlore.interchange.report import Notes, Report, counted
from everlore.interchange.times import read_time
from everlore.interchange.zips import Bounds, unpacked

Source = Literal["ChatGPT", "Claude"]
MOST_BYTES = 500_000_000
MOST_CHATS = 50_000
_BOUNDS = Bounds(
    what="export", packed=2_000_000_000, entries=200_000, each=MOST_BYTES, total=MOST_BYTES, excess="pictures and files"
)
_MOST_CHARS: int = get_args(Log)[1].most
_ZIP = b"PK\x03\x04"
_ROLES = {"user": Author.USER, "assistant": Author.ASSISTANT, "tool": Author.TOOL, "system": Author.SYSTEM}
# Reasoning of the model, which the user sees folded, if at all.
_THOUGHTS = frozenset({"thoughts", "reasoning_recap"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantChat:
    """`id` is the provider's own, so that a second import recognizes the chat."""

    id: str
    title: str
    at: datetime | None
    chat: Chat


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantExport:
    source: Source
    chats: tuple[AssistantChat, ...]
    report: Report


def is_export(document: object) -> bool:
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, dict) and ("mapping" in first or "chat_messages" in first)


def is_export_zip(data: bytes) -> bool:
    return data.startswith(_ZIP) and b"conversations" in data[-5_000_000:] and bool(_conversation_files(data))


def is_export_file(data: bytes) -> bool:
    """Whether it is the zip that ChatGPT or Claude sends, or the conversations.json inside."""
    if data.startswith(_ZIP):
        return is_export_zip(data)
    try:
        return is_export(json.loads(data))
    except (ValueError, RecursionError):
        return False


def read_export(data: bytes) -> AssistantExport:
    notes = Notes()
    documents = _conversation_files(data) if data.startswith(_ZIP) else {"conversations.json": data}
    if not documents:
        raise BadAsk("The zip has no conversations.json. Choose the zip that ChatGPT or Claude sent you, as it came.")
    found = [each for name, raw in sorted(documents.items()) for each in _conversations(raw, name, notes)]
    if not found or not is_export(found):
        raise BadAsk("This is no export of ChatGPT or Claude. Choose its zip, or the conversations.json inside.")
    if len(found) > MOST_CHATS:
        raise BadAsk(f"The export has {len(found):,} chats; the most is {MOST_CHATS:,}. Split the file.")
    source: Source = "ChatGPT" if "mapping" in found[0] else "Claude"
    left_out: Counter[str] = Counter()
    read = _chatgpt if source == "ChatGPT" else _claude
    chats = tuple(each for document in found if (each := read(document, left_out)) is not None)
    for what, number in left_out.items():
        one, _, many = what.partition("|")
        notes.dropped.add(f"{counted(number, one, many)}.")
    messages = sum(len(each.chat.lines) for each in chats)
    notes.kept.add(f"{counted(len(chats), 'chat')} with {counted(messages, 'message')}.")
    return AssistantExport(source=source, chats=chats, report=notes.report(f"{source} export"))


def _conversation_files(data: bytes) -> dict[str, bytes]:
    def wanted(name: str) -> bool:
        last = name.rpartition("/")[2]
        return last.startswith("conversations") and last.endswith(".json")

    return unpacked(data, _BOUNDS, wanted)


def _conversations(raw: bytes, name: str, notes: Notes) -> list[Json]:
    document: Any = jsontext.parse(raw, notes, what=name)
    rows = document if isinstance(document, list) else [document]
    return [row for row in rows if isinstance(row, dict)]


# ── ChatGPT ──────────────────────────────────────────────────────────────────────────────────────


def _chatgpt(document: Json, left_out: Counter[str]) -> AssistantChat | None:
    mapping = document.get("mapping")
    nodes = {id: node for id, node in mapping.items() if isinstance(node, dict)} if isinstance(mapping, dict) else {}
    path = _path(nodes, document.get("current_node"))
    lines: list[ChatLine] = []
    shown: set[str] = set()
    for id in path:
        line = _chatgpt_line(nodes[id], left_out)
        if line is None:
            continue
        versions = _versions(nodes, id) if line.author is Author.ASSISTANT else [id]
        texts = [_chatgpt_text(nodes[each])[0] for each in versions]
        shown.update(versions)
        if len(texts) > 1:
            line = _with_versions(line, texts, versions.index(id))
        lines.append(line)
    elsewhere = [id for id in nodes.keys() - shown - set(path) if _chatgpt_line(nodes[id], Counter()) is not None]
    if elsewhere:
        left_out["message of another branch|messages of other branches"] += len(elsewhere)
    return _finished(document, ("conversation_id", "id"), "title", "create_time", lines, "ChatGPT", left_out)


def _path(nodes: dict[str, Json], last: object) -> list[str]:
    """From the first message to the one that was shown last."""
    if not isinstance(last, str) or last not in nodes:
        last = next((id for id in reversed(list(nodes)) if not nodes[id].get("children")), None)
    path: list[str] = []
    seen: set[str] = set()
    while isinstance(last, str) and last in nodes and last not in seen:
        seen.add(last)
        path.append(last)
        last = nodes[last].get("parent")
    return path[::-1]


def _versions(nodes: dict[str, Json], id: str) -> list[str]:
    """The replies to the same message, in order, including regenerated ones."""
    parent = nodes.get(str(nodes[id].get("parent")), {})
    children = parent.get("children")
    siblings = (
        [each for each in children if isinstance(each, str) and each in nodes] if isinstance(children, list) else []
    )
    replies = [each for each in siblings if _role(nodes[each]) == "assistant" and _chatgpt_text(nodes[each])[0]]
    return replies if id in replies else [id]


def _role(node: Json) -> str:
    message = node.get("message")
    author = message.get("author") if isinstance(message, dict) else None
    return str(author.get("role", "")) if isinstance(author, dict) else ""


def _chatgpt_line(node: Json, left_out: Counter[str]) -> ChatLine | None:
    message, author = node.get("message"), _ROLES.get(_role(node))
    if not isinstance(message, dict) or author is None:
        return None
    text, pictures = _chatgpt_text(node)
    content, metadata = message.get("content"), message.get("metadata")
    kind = content.get("content_type") if isinstance(content, dict) else ""
    if kind in _THOUGHTS:
        left_out["note that the model made for itself|notes that the model made for itself"] += 1
        return None
    if pictures:
        left_out["picture or file|pictures and files"] += pictures
    if not text.strip():
        return None
    about = metadata if isinstance(metadata, dict) else {}
    hidden = author in {Author.TOOL, Author.SYSTEM} or about.get("is_visually_hidden_from_conversation") is True
    kept = {"id": message.get("id"), "model": about.get("model_slug")}
    return _line(author, text, message.get("create_time"), kept, left_out, hidden=hidden)


def _chatgpt_text(node: Json) -> tuple[str, int]:
    """The text of a message, and the number of its parts without text."""
    message = node.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, dict):
        return "", 0
    if content.get("content_type") == "code" and isinstance(text := content.get("text"), str) and text:
        language = str(content.get("language") or "").replace("unknown", "")
        return f"```{language}\n{text}\n```", 0
    if isinstance(content.get("text"), str):
        return str(content["text"]), 0
    parts = content.get("parts")
    parts = parts if isinstance(parts, list) else []
    texts = [each if isinstance(each, str) else _transcript(each) for each in parts]
    others = [each for each, text in zip(parts, texts, strict=True) if isinstance(each, dict) and not text]
    return "\n".join(filter(None, [*texts, *("[picture or file]" for _ in others)])), len(others)


def _transcript(part: object) -> str:
    """The transcript of an audio part."""
    text = part.get("text") if isinstance(part, dict) and part.get("content_type") == "audio_transcription" else None
    return text if isinstance(text, str) else ""


# ── Claude ───────────────────────────────────────────────────────────────────────────────────────


def _claude(document: Json, left_out: Counter[str]) -> AssistantChat | None:
    rows = document.get("chat_messages")
    lines = [
        line
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict) and (line := _claude_line(row, left_out)) is not None
    ]
    return _finished(document, ("uuid",), "name", "created_at", lines, "Claude", left_out)


def _claude_line(row: Json, left_out: Counter[str]) -> ChatLine | None:
    author = {"human": Author.USER, "assistant": Author.ASSISTANT}.get(str(row.get("sender")))
    if author is None:
        return None
    texts = [*_claude_blocks(row, left_out), *_attached(row, left_out)]
    text = "\n\n".join(each for each in texts if each.strip())
    return _line(author, text, row.get("created_at"), {"id": row.get("uuid")}, left_out) if text.strip() else None


def _claude_blocks(row: Json, left_out: Counter[str]) -> Iterator[str]:
    blocks = row.get("content")
    said = [each for each in blocks if isinstance(each, dict)] if isinstance(blocks, list) else []
    if not any(each.get("type") == "text" for each in said):
        yield str(row.get("text") or "")
    for block in said:
        if block.get("type") == "text":
            yield str(block.get("text") or "")
        elif block.get("type") == "thinking":
            left_out["note that the model made for itself|notes that the model made for itself"] += 1
        else:
            left_out["tool call or result|tool calls and results"] += 1


def _attached(row: Json, left_out: Counter[str]) -> Iterator[str]:
    """Attached texts are kept with the message; an export does not contain other files."""
    attachments = row.get("attachments")
    for each in attachments if isinstance(attachments, list) else []:
        if isinstance(each, dict) and isinstance(text := each.get("extracted_content"), str) and text:
            yield f"[Attached: {each.get('file_name') or 'a text'}]\n{text}"
    files = row.get("files")
    number = len(files) if isinstance(files, list) else 0
    if number:
        left_out["picture or file|pictures and files"] += number
        yield "[picture or file]"


# ── both ─────────────────────────────────────────────────────────────────────────────────────────


def _line(
    author: Author, text: str, at: object, kept: Json, left_out: Counter[str], *, hidden: bool = False
) -> ChatLine:
    if len(text) > _MOST_CHARS:
        left_out["end of a very long message|ends of very long messages"] += 1
        text = text[:_MOST_CHARS]
    moment = read_time(at)
    if moment is not None:
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    about: Json = {name: value for name, value in kept.items() if isinstance(value, str)}
    return ChatLine(author=author, name="", content=_clean(text), at=moment, hidden=hidden, kept=about)


def _with_versions(line: ChatLine, texts: list[str], chosen: int) -> ChatLine:
    texts = [_clean(each[:_MOST_CHARS]) for each in texts]
    return ChatLine(
        author=line.author,
        name=line.name,
        content=texts[chosen],
        alternatives=tuple(texts),
        chosen=chosen,
        hidden=line.hidden,
        at=line.at,
        kept=line.kept,
    )


def _clean(text: str) -> str:
    return text.replace("\x00", "").encode(errors="replace").decode()


def _finished(
    document: Json,
    id_names: tuple[str, ...],
    title_name: str,
    time_name: str,
    lines: list[ChatLine],
    source: Source,
    left_out: Counter[str],
) -> AssistantChat | None:
    ids = [value for name in id_names if isinstance(value := document.get(name), str) and value]
    if not ids or not any(not line.hidden for line in lines):
        left_out["chat without messages|chats without messages"] += 1
        return None
    named = [
        ChatLine(
            author=line.author,
            name=source if line.author is Author.ASSISTANT else "",
            content=line.content,
            alternatives=line.alternatives,
            chosen=line.chosen,
            hidden=line.hidden,
            at=line.at,
            kept=line.kept,
        )
        for line in lines
    ]
    title = document.get(title_name)
    at = read_time(document.get(time_name))
    return AssistantChat(
        id=ids[0],
        title=_clean(title).strip()[:200] if isinstance(title, str) else "",
        at=at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at,
        chat=Chat(user_name="", character_name=source, header={}, lines=tuple(named), report=Report(source)),
    )
