"""Events as other users may see them: without paths, approvals, links, or private details (C4, C12). Pure.

Start at `shown`.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from everlore.capture.plain import Plain, plain, plain_dict, to_json
from everlore.capture.redaction import for_guests
from everlore.domain.attachment import Attachment
from everlore.domain.event import Event
from everlore.domain.policy import Visibility

# Metadata fields that link an event to other records.
_TIES = frozenset(("conversation_id", "parent_event_id", "message_id", "attached"))
_PATH_FIELDS = frozenset(
    "path paths file files filename file_path filepath folder directory dir cwd snippet source destination".split()
)
_APPROVAL_FIELDS = frozenset(("approval_id", "approvalid", "approval"))


def shown(event: Event, seen: Visibility) -> Event:
    """The event as this viewer may see it: without paths, approvals, ids, or private details (C4, C12)."""
    metadata = plain_dict(event.metadata)
    if not (seen.file_paths and seen.approval_ids):
        cut = without_fields(metadata, paths=not seen.file_paths, approvals=not seen.approval_ids)
        metadata = cut if isinstance(cut, dict) else {}
    if not seen.redacted:
        return replace(event, metadata=cast("dict[str, object]", metadata))
    clean = deep({name: each for name, each in metadata.items() if name not in _TIES}, for_guests)
    return replace(
        event,
        content=for_guests(event.content),
        metadata=cast("dict[str, object]", clean if isinstance(clean, dict) else {}),
        tags=tuple(for_guests(tag) for tag in event.tags),
        links=(),
        parent_id=None,
    )


def shown_beside(attachment: Attachment, seen: Visibility) -> Attachment:
    if seen.file_paths and seen.approval_ids:
        return attachment
    try:
        value = plain(json.loads(attachment.content))
    except ValueError:
        return attachment
    cut = without_fields(value, paths=not seen.file_paths, approvals=not seen.approval_ids)
    return replace(attachment, content=to_json(cut))


def without_fields(value: Plain, *, paths: bool, approvals: bool) -> Plain:
    """Removes the fields that name a file or an approval, at any depth."""
    match value:
        case list():
            return [without_fields(each, paths=paths, approvals=approvals) for each in value]
        case dict():
            return {
                key: without_fields(each, paths=paths, approvals=approvals)
                for key, each in value.items()
                if not (paths and key.lower() in _PATH_FIELDS) and not (approvals and key.lower() in _APPROVAL_FIELDS)
            }
    return value


def deep(value: Plain, clean: Callable[[str], str]) -> Plain:
    """Applies `clean` to every text in it, including keys."""
    match value:
        case str():
            return clean(value)
        case list():
            return [deep(each, clean) for each in value]
        case dict():
            return {clean(key): deep(each, clean) for key, each in value.items()}
    return value
