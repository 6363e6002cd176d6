"""Watches one call of a tool: a decorator for functions, plain or async, and a context manager for one call (C2).

Captures inputs, outputs, errors and duration. The tool does not notice: its result and its errors are unchanged, and
errors of the capture are logged. Start at `ToolCall`.
"""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from types import TracebackType
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import structlog

from everlore.capture.drafts import EventDraft, tool_call
from everlore.capture.plain import Plain, plain
from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event
from everlore.domain.person import Person

log = structlog.get_logger(__name__)

P = ParamSpec("P")
T = TypeVar("T")
_MS = 1_000
# The running tool call, which is the parent of calls inside of it.
_running: ContextVar["Running | None"] = ContextVar("everlore_tool_call", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTarget:
    """Where something happens, and further facts about it. Without a `person`, the actors are the caller or those in
    the conversation."""

    conversation: Conversation | str | None = None
    parent: Event | str | None = None
    message: Message | str | None = None
    person: Person | str | None = None
    importance: float | None = None
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    at: datetime | None = None
    ended_at: datetime | None = None
    in_progress: bool = False


class Captures(Protocol):
    """Saves the captured calls."""

    def captures(self, tool: str) -> bool: ...

    def begun(self) -> tuple[str, datetime]:
        """The id of the future event, and the time when it began."""

    async def finished(self, call: "Running") -> None: ...

    def left(self, call: "Running") -> None:
        """Like `finished`, where nobody can wait for it."""


@dataclass(slots=True)
class Running:
    """One call of a tool, while it runs and after. `above`: the outer call, whose event is saved after this one;
    `below`: the saved events of inner calls, which have no parent yet."""

    name: str
    inputs: Plain
    place: EventTarget
    extra: Mapping[str, object]
    id: str
    at: datetime
    above: "Running | None" = None
    below: list[Event] = field(default_factory=list)
    is_kept: bool = False
    started: float = field(default_factory=perf_counter)
    took_ms: float = 0.0
    outputs: Plain = None
    error: str = ""
    exception: str = ""

    def draft(self) -> EventDraft:
        return tool_call(
            self.name,
            self.inputs,
            self.outputs,
            success=not (self.error or self.exception),
            error=self.error,
            exception=self.exception,
            execution_ms=self.took_ms,
            extra=self.extra,
        )

    def orphans(self) -> list[Event]:
        """Removes them from this call; the caller must make this call their parent."""
        taken, self.below = self.below, []
        return taken

    def ended(self, outputs: object, error: BaseException | None, failed: str) -> None:
        self.took_ms = (perf_counter() - self.started) * _MS
        self.outputs = plain(outputs)
        self.error = failed or said_failure(outputs)
        if error is not None:
            self.error, self.exception = str(error) or type(error).__name__, type(error).__name__


@contextmanager
def harmless(tool: str) -> Iterator[None]:
    """Logs every error: the tool has done its work, and must not fail because it is watched."""
    try:
        yield
    except Exception as error:  # the outermost handler of a capture
        log.warning("capture.failed", tool=tool, error=str(error), type=type(error).__name__)


class ToolCall:
    """A decorator, or the context of one call; created by `Capturing.tool`. In a context, `outputs` is the result of
    the call, and `fail` records a failure without an exception; `id` is that of the event, if there will be one."""

    def __init__(
        self,
        capturing: Captures,
        name: str | None,
        inputs: object,
        place: EventTarget,
        extra: Mapping[str, object],
    ) -> None:
        self._capturing = capturing
        self._name = name
        self._inputs = inputs
        self._place = place
        self._extra = extra
        self._running: Running | None = None
        self._token: Token[Running | None] | None = None
        self._failed = ""
        self.outputs: object = None

    @property
    def id(self) -> str | None:
        return self._running.id if self._running is not None else None

    def fail(self, error: str) -> None:
        self._failed = error or "It failed."

    # ── as a context ──

    def __enter__(self) -> "ToolCall":
        self._begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if (call := self._end(error)) is not None:
            self._capturing.left(call)

    async def __aenter__(self) -> "ToolCall":
        self._begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        call = self._end(error)
        if call is None:
            return
        if error is None or isinstance(error, Exception):
            await self._capturing.finished(call)
        else:
            # A cancelled task must not wait for a database.
            self._capturing.left(call)

    def _begin(self) -> None:
        name = self._name or "unnamed"
        self._failed, self.outputs, self._running = "", None, None
        with harmless(name):
            if not self._capturing.captures(name):
                return
            id, at = self._capturing.begun()
            above = _running.get() if self._place.parent is None else None
            # A copy: a tool may change its arguments.
            self._running = Running(name, plain(self._inputs), self._place, self._extra, id, at, above)
            self._token = _running.set(self._running)

    def _end(self, error: BaseException | None) -> Running | None:
        call = self._running
        if call is None:
            return None
        if self._token is not None:
            _running.reset(self._token)
            self._token = None
        with harmless(call.name):
            call.ended(self.outputs, error, self._failed)
        return call

    # ── as a decorator ──

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        name = self._name or getattr(function, "__name__", type(function).__name__)
        signature = _signature(function)

        def call_with(args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolCall:
            inputs = self._inputs if self._inputs is not None else _bound(signature, args, kwargs)
            return ToolCall(self._capturing, name, inputs, self._place, self._extra)

        if _is_async(function):
            asked = cast("Callable[P, Any]", function)

            @functools.wraps(function)
            async def waited(*args: P.args, **kwargs: P.kwargs) -> Any:
                async with call_with(args, kwargs) as call:
                    call.outputs = result = await asked(*args, **kwargs)
                return result

            return cast("Callable[P, T]", waited)

        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            with call_with(args, kwargs) as call:
                call.outputs = result = function(*args, **kwargs)
            return result

        return called


def said_failure(outputs: object) -> str:
    """The failure that a tool reports in its own result."""
    if not isinstance(outputs, Mapping) or outputs.get("success") is not False:
        return ""
    return str(outputs.get("error") or "It said that it failed.")


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - an object whose call is async is one
    )


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _bound(signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, without `self`."""
    try:
        given = dict(signature.bind(*args, **kwargs).arguments) if signature is not None else None
    except TypeError:
        given = None
    if given is None:
        return {"arguments": list(args), **kwargs} if args else dict(kwargs)
    return {name: value for name, value in given.items() if name not in ("self", "cls")}
