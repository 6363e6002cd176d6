"""Turns failures of a model server into errors that name the next step, and never contain the key.

The type says who must act: the operator (`Misconfigured`), nobody (`ModelUnavailable`: retrying may help), or the
maintainers of the server (`ModelMisbehaved`: invalid answers).
"""

import re
from urllib.parse import urlsplit

from pydantic import SecretStr

from everlore.errors import EverloreError, Misconfigured, ModelMisbehaved, ModelUnavailable, PromptTooLong
from everlore.models.window import stated_window

_AGAIN = "Try again in a moment; if it goes on, look into the log of that server."
_TOO_LONG = re.compile(
    r"context.{0,12}(length|size|window)|exceed.{0,20}context|(prompt|input|request).{0,20}too (long|large)",
    re.I | re.S,
)
_LONGEST_LABEL = 200
_UNPAID = re.compile(r"insufficient.{0,3}(quota|balance|credit|fund)|exceeded your current quota", re.I)


class Complaints:
    """Makes the errors for one server: `address` is shown, `key` is removed from every quotation."""

    def __init__(self, address: str, model: str, key: str = "") -> None:
        self.model = model
        self._server = f"The model server at {address}"
        self._key = key

    def refused(
        self, status: int, said: str, *, after_s: float | None = None, param: object = None, code: object = None
    ) -> EverloreError:
        """An error with the status and the message of the server, for clients that need them."""
        error = self._refused(status, said, after_s)
        error.status, error.said = status, self._blotted(said)
        error.param, error.code = self._label(param), self._label(code)
        return error

    def _refused(self, status: int, said: str, after_s: float | None) -> EverloreError:
        if status in {400, 413, 422, 500} and _TOO_LONG.search(said):
            return self._too_long(said)
        if status == 402 or (status in {403, 429} and _UNPAID.search(said)):
            return Misconfigured(
                f"{self._server} wants to be paid first (HTTP {status}){self._quote(said)}. "
                "Add credit to that account, or choose another model under “Connect a model” on the page."
            )
        if status in {408, 409, 425, 429} or status >= 500:
            return ModelUnavailable(self._overloaded(status, said, after_s), after_s=after_s)
        return Misconfigured(f"{self._server} {self._mend(status, said)}")

    def failed(self, said: str, code: object = None, param: object = None) -> EverloreError:
        """An error in the middle of an answer; `code` is an HTTP status if the server sent one."""
        if isinstance(code, int) and 400 <= code <= 599:
            return self.refused(code, said)
        error = (
            self._too_long(said)
            if _TOO_LONG.search(said)
            else ModelUnavailable(f"{self._server} failed while it answered{self._quote(said)}. {_AGAIN}")
        )
        error.param, error.code = self._label(param), self._label(code)
        return error

    def unreachable(self) -> EverloreError:
        return ModelUnavailable(
            f"{self._server} cannot be reached. Start it, or correct its address: "
            "on the page under “Connect a model”, or in EVERLORE_CHAT__BASE_URL."
        )

    def broke_off(self) -> EverloreError:
        return ModelUnavailable(f"{self._server} broke off before the answer was complete. {_AGAIN}")

    def too_slow(self) -> EverloreError:
        return ModelUnavailable(f"{self._server} took too long to answer the call. {_AGAIN}")

    def garbage(self) -> EverloreError:
        return ModelMisbehaved(
            f"{self._server} answered something other than a chat. Check that the address is the root of "
            "the API: of an OpenAI-compatible one it mostly ends in /v1, of Ollama it has no path."
        )

    def no_models(self) -> EverloreError:
        return Misconfigured(
            f"{self._server} offers no chat model. Load or pull one there, "
            "or name a model under “Connect a model” on the page or in EVERLORE_CHAT__MODEL."
        )

    def unusable(self, why: str) -> EverloreError:
        return ModelMisbehaved(f"{self._server} could not be used ({why}). {_AGAIN}")

    def _too_long(self, said: str) -> EverloreError:
        return PromptTooLong(
            f"The prompt is longer than the model {self.model!r} takes{self._quote(said)}. Lower context_window "
            "in the conversation's config to what the server gives it, or raise it on the server.",
            window=stated_window(said),
        )

    def _overloaded(self, status: int, said: str, after_s: float | None) -> str:
        wait = f" It asks to wait {after_s:g} s." if after_s is not None else ""
        what = "limits how often it may be asked" if status == 429 else "failed or is overloaded"
        return f"{self._server} {what} (HTTP {status}){self._quote(said)}.{wait} {_AGAIN}"

    def _mend(self, status: int, said: str) -> str:
        if status in {401, 403}:
            which = "the key" if self._key else "a call without a key"
            return (
                f"did not accept {which} (HTTP {status}){self._quote(said)}. Give a valid one: "
                "on the page under “Connect a model”, or in EVERLORE_CHAT__API_KEY."
            )
        if status == 404:
            return (
                f"has no model {self.model!r}, or no chat at that address (HTTP 404){self._quote(said)}. "
                "Check both: on the page under “Connect a model”, or EVERLORE_CHAT__MODEL and EVERLORE_CHAT__BASE_URL."
            )
        if status < 400:
            return (
                f"sends callers elsewhere (HTTP {status}). Give the address that it really has, mostly with https://."
            )
        return (
            f"refused the request (HTTP {status}){self._quote(said)}. "
            f"Check that {self.model!r} is a chat model and that the address is right."
        )

    def _quote(self, said: str) -> str:
        line = " ".join(self._blotted(said).split())[:200]
        return f": {line!r}" if line else ""

    def _label(self, value: object) -> str | None:
        """Some servers repeat the status as the code, which adds nothing."""
        return self._blotted(value)[:_LONGEST_LABEL] if isinstance(value, str) and value else None

    def _blotted(self, said: str) -> str:
        return said.replace(self._key, "***") if self._key else said


def checked_address(url: str, *, example: str) -> str:
    """The address without a trailing slash; addresses with credentials are refused, because addresses are logged."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise _no_address(example) from None
    if parts.scheme not in {"http", "https"} or not host or any(letter.isspace() for letter in url):
        raise _no_address(example)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Misconfigured(
            "The address of a model server must not hold a user, a password or anything after a '?'. "
            "Put the key into the field for it (EVERLORE_CHAT__API_KEY)."
        )
    return url.rstrip("/")


def backend_of(address: str) -> str:
    """The identity of the server: its models share one slot, whatever API they are called through."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower()


def stays_here(address: str) -> bool:
    """Whether calls to it stay on this machine: such calls must not go through a proxy."""
    host = urlsplit(address).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")


def public_address(url: str) -> str:
    """The address without user, password and query, which may be secret; empty for an invalid address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts.netloc else ""


def sendable_key(secret: SecretStr | None, *, named: str = "The key of the model server") -> str:
    key = secret.get_secret_value() if secret else ""
    # Checked here because an HTTP library would quote the whole key in its error.
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise Misconfigured(
            f"{named} holds a space, a line break or a letter that no key has. "
            "Copy it again, without anything around it."
        )
    return key


def _no_address(example: str) -> Misconfigured:
    return Misconfigured(
        f"That is no address of a model server. Write it like {example}: "
        "on the page under “Connect a model”, or in EVERLORE_CHAT__BASE_URL."
    )
