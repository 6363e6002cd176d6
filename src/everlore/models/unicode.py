"""Refuses invalid text: halves of a surrogate pair, which no model and no file accepts.

They come from JSON like `"\\ud83d"` or from another program that cut a string in the middle of an emoji.
"""

from everlore.errors import BadAsk


def refuse_surrogates(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise BadAsk(
            f"The text holds half a character at position {error.start} (unpaired surrogate U+{code:04X}). "
            "Send whole characters: remove it, or send both halves of the pair."
        ) from None
