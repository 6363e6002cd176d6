"""Which process is writing a reply, and whether it still lives (V12).

A reply that is being written names its holder. When that process is gone, whoever meets the reply next
marks it as broken off. On the same machine a look at the process tells at once; of another machine only its
silence can tell, and so of a number that another process has got since.
"""

import os
from dataclasses import dataclass

# A living writer saves what it has every second or so, and gives a sign of life when there is nothing to save.
SILENT_S = 60.0


@dataclass(frozen=True, slots=True)
class Holder:
    """`token` is new with every start: a process number comes back, a token does not."""

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
    """`silent_s`: since it last saved; `runs`: whether a process of that number runs on this machine."""
    if holder is None:
        return True
    # Saved in the future, where the clock was set back: a living one saves again soon, by the new time.
    is_silent = abs(silent_s) > SILENT_S
    if holder.host != me.host:
        return is_silent
    if holder.pid == me.pid:
        # Our own number: it is us, or a process before us that we have replaced.
        return holder.token != me.token
    return not runs or is_silent


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # It exists, and belongs to somebody else.
        return True
    return True
