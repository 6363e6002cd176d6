"""Which process is writing a reply, and whether that process is alive (V12).

A reply names its holder while it is being written. When that process is gone, the next process that reads the reply
marks it as broken off. On the same machine the process table tells; for another machine, and for a process number that
was reused, only the time since the last save does.
"""

import os
from dataclasses import dataclass

# A live writer saves the reply every second or so, and updates a heartbeat when there is nothing to save.
SILENT_S = 60.0


@dataclass(frozen=True, slots=True)
class Holder:
    """`token` is new with every start: a process number is reused, a token is not."""

    host: str
    pid: int
    token: str

    def __str__(self) -> str:
        return f"{self.host}/{self.pid}/{self.token}"


def read_holder(text: str) -> Holder | None:
    host, _, rest = text.rpartition("/")[0].rpartition("/")
    token = text.rpartition("/")[2]
    return Holder(host, int(rest), token) if host and rest.isdecimal() else None


def is_gone(holder: Holder | None, me: Holder, *, silent_s: float, runs: bool) -> bool:
    """`silent_s`: time since it last saved; `runs`: whether a process of that number runs on this machine."""
    if holder is None:
        return True
    # Saved in the future if the clock was set back: a live writer soon saves again, by the new time.
    is_silent = abs(silent_s) > SILENT_S
    if holder.host != me.host:
        return is_silent
    if holder.pid == me.pid:
        # Our own process number: this process, or an earlier one that had the same number.
        return holder.token != me.token
    return not runs or is_silent


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # It exists, and belongs to another user.
        return True
    return True
