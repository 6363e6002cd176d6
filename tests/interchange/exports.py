"""Small made-up exports of ChatGPT and Claude, as their sites send them."""

import io
import json
import zipfile
from typing import Any

Node = dict[str, Any]


def node(id: str, parent: str | None, role: str, text: str, **more: Any) -> Node:
    content = {"content_type": "text", "parts": [text]}
    message = {"id": id, "author": {"role": role}, "create_time": 1_700_000_000.5, "content": content, "metadata": {}}
    return {"id": id, "parent": parent, "children": [], "message": message | more}


def chatgpt(id: str = "c-1", title: str = "Ferry times") -> Node:
    """A question with a regenerated answer, a thought, a picture, and an edited question in another branch."""
    thought = {"content_type": "thoughts", "thoughts": []}
    photo = {"content_type": "multimodal_text", "parts": ["See this.", {"content_type": "image_asset_pointer"}]}
    nodes = [
        {"id": "root", "parent": None, "children": [], "message": None},
        node("sys", "root", "system", ""),
        node("q1", "sys", "user", "When does the ferry leave?"),
        node("a1", "q1", "assistant", "At noon."),
        node("a2", "q1", "assistant", "At dawn."),
        node("t1", "a2", "assistant", "", content=thought),
        node("q2", "t1", "user", "", content=photo),
        node("a3", "q2", "assistant", "A harbor."),
        node("q1b", "sys", "user", "When does the train leave?"),
    ]
    mapping = {each["id"]: each for each in nodes}
    for each in nodes:
        if each["parent"]:
            mapping[each["parent"]]["children"].append(each["id"])
    return {
        "conversation_id": id,
        "title": title,
        "create_time": 1_700_000_000.0,
        "mapping": mapping,
        "current_node": "a3",
    }


def claude(id: str = "k-1", name: str = "Bread") -> Node:
    def row(uuid: str, sender: str, text: str, **more: Any) -> Node:
        content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}]
        return {"uuid": uuid, "sender": sender, "text": text, "created_at": "2024-05-01T10:00:00Z"} | (
            {"content": content if sender == "assistant" else [{"type": "text", "text": text}]} | more
        )

    attached = [{"file_name": "list.txt", "extracted_content": "flour, salt"}]
    rows = [row("m1", "human", "How long does it rise?", attachments=attached), row("m2", "assistant", "Two hours.")]
    return {"uuid": id, "name": name, "created_at": "2024-05-01T10:00:00Z", "chat_messages": rows}


def zipped(documents: list[Node], **others: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        opened.writestr("conversations.json", json.dumps(documents))
        for name, text in others.items():
            opened.writestr(f"{name}.json", text)
    return packed.getvalue()
