"""Every error Everlore raises on purpose, grouped by who must act.

The caller mends a `BadAsk`, `NotFound`, `Forbidden` or `Conflict`; the operator mends a `Misconfigured` or
`StoreUnavailable`; a `ModelMisbehaved` is retried by the queue. Anything else is a bug of ours.
Each message says what happened, to which value, and the next step.
"""


class EverloreError(Exception):
    """The base of them all: catch this to catch every deliberate error. `status`, `said`, `param` and `code` are what a
    model server answered, where it was one that refused."""

    exit_code = 1
    status: int | None = None
    said: str = ""
    param: str | None = None
    code: str | None = None


class BadAsk(EverloreError):
    """The caller asked for something that cannot be: a wrong type, a number out of range, a broken text."""

    exit_code = 2


class NotFound(EverloreError):
    """Nothing in this workspace has that id."""

    exit_code = 3


class Forbidden(EverloreError):
    """The mode or the role of the caller does not allow it."""

    exit_code = 8


class Conflict(EverloreError):
    """Somebody else changed it first: read it again and repeat the change."""

    exit_code = 4


class BeingWritten(Conflict):
    """A reply is being written there: what is asked for can be had when it is there."""


class Misconfigured(EverloreError):
    """A setting, a file or an installation is wrong; the operator must mend it."""

    exit_code = 5


class PromptTooLong(Misconfigured):
    """A model server refused a prompt for its length. `window` is the limit that it named, where it did."""

    def __init__(self, message: str, *, window: int | None = None) -> None:
        super().__init__(message)
        self.window = window


class StoreUnavailable(EverloreError):
    """The database cannot be reached, read or written just now. Nothing acknowledged was lost."""

    exit_code = 6


class ModelMisbehaved(EverloreError):
    """A model or embedding server failed, timed out or answered nonsense; worth another try."""

    exit_code = 7


class ModelUnavailable(ModelMisbehaved):
    """A model server is down, overloaded or too slow: the same call may succeed in a moment.

    `after_s` is what the server asked us to wait, where it said so.
    """

    def __init__(self, message: str, *, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class LeaseLost(Conflict):
    """The job was taken over by another worker; what this one did with it was not kept."""
