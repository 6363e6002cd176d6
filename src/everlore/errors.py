"""Every error Everlore raises on purpose, grouped by who must act.

The caller fixes a `BadAsk`, `NotFound`, `Forbidden` or `Conflict`; the operator fixes a `Misconfigured` or
`StoreUnavailable`; the queue retries a `ModelMisbehaved`. Anything else is a bug in Everlore. Each message says what
happened, to which value, and the next step.
"""


class EverloreError(Exception):
    """The base class: catch this to catch every deliberate error. `exit_code` and `http_status` are for programs that
    pass it on. `status`, `said`, `param` and `code` are the answer of a model server that refused."""

    exit_code = 1
    http_status = 500
    status: int | None = None
    said: str = ""
    param: str | None = None
    code: str | None = None


class BadAsk(EverloreError):
    """The caller asked for something impossible: a wrong type, a number out of range, a broken text."""

    exit_code = 2
    http_status = 400


class NotFound(EverloreError):
    """Nothing in this workspace has that id."""

    exit_code = 3
    http_status = 404


class Forbidden(EverloreError):
    """The mode or the role of the caller does not allow it."""

    exit_code = 8
    http_status = 403


class Conflict(EverloreError):
    """Somebody else changed it first: read it again and repeat the change."""

    exit_code = 4
    http_status = 409


class PreconditionFailed(EverloreError):
    """It is not, or no longer, as the caller requires: read it again and repeat the change."""

    exit_code = 4
    http_status = 412


class BeingWritten(Conflict):
    """A reply is being written there: try again when it is complete."""


class Misconfigured(EverloreError):
    """A setting, a file or an installation is wrong; the operator must fix it."""

    exit_code = 5


class PromptTooLong(Misconfigured):
    """A model server refused a prompt for its length. `window` is the limit that it named, if it did."""

    def __init__(self, message: str, *, window: int | None = None) -> None:
        super().__init__(message)
        self.window = window


class StoreUnavailable(EverloreError):
    """The database cannot be reached, read or written just now. Nothing acknowledged was lost."""

    exit_code = 6
    http_status = 503


class ModelMisbehaved(EverloreError):
    """A model or embedding server failed, timed out or answered nonsense; worth another try."""

    exit_code = 7
    http_status = 502


class ModelUnavailable(ModelMisbehaved):
    """A model server is down, overloaded or too slow: the same call may succeed in a moment.

    `after_s` is how long the server asked us to wait, if it did.
    """

    def __init__(self, message: str, *, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class LeaseLost(Conflict):
    """Another worker took over the job; the results of this one were discarded."""
