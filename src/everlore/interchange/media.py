"""Detects the type of a file by its first bytes: names and headers cannot be trusted."""

_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "image/png", "png"),
    (b"\xff\xd8\xff", "image/jpeg", "jpg"),
    (b"GIF87a", "image/gif", "gif"),
    (b"GIF89a", "image/gif", "gif"),
    (b"OggS", "audio/ogg", "ogg"),
    (b"ID3", "audio/mpeg", "mp3"),
    (b"\x1aE\xdf\xa3", "video/webm", "webm"),
)
_BOXES = {
    (b"RIFF", b"WEBP"): ("image/webp", "webp"),
    (b"RIFF", b"WAVE"): ("audio/wav", "wav"),
    (b"ftyp", b"avif"): ("image/avif", "avif"),
    (b"ftyp", b"isom"): ("video/mp4", "mp4"),
    (b"ftyp", b"mp42"): ("video/mp4", "mp4"),
}
UNKNOWN = "application/octet-stream"


def media_type(content: bytes) -> str:
    """Never a type that a browser would execute: text, SVG and HTML are `application/octet-stream`."""
    return _known(content)[0]


def extension(content: bytes) -> str:
    return _known(content)[1]


def is_image(content: bytes) -> bool:
    return media_type(content).startswith("image/")


def _known(content: bytes) -> tuple[str, str]:
    for start, type, extension in _STARTS:
        if content.startswith(start):
            return type, extension
    for box in ((content[:4], content[8:12]), (content[4:8], content[8:12])):
        if box in _BOXES:
            return _BOXES[box]
    return UNKNOWN, "unknown"
