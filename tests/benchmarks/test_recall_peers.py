"""mem0 in an environment of its own (R13): spoken to line by line, and asked for by the command that makes it."""

from pathlib import Path

import pytest

from benchmarks.recall.peers import peer_in, peers_python
from everlore.errors import Misconfigured


def test_without_its_environment_the_command_that_makes_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="Make it with `make peers`"):
        peers_python(tmp_path)


async def test_a_process_that_ends_is_said(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)

    async with peer_in(tmp_path) as peer:
        with pytest.raises(Misconfigured, match="The process of mem0 ended"):
            await peer.ask(reset=2)
