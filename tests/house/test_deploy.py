"""What `deploy/` says of settings, commands and metrics is true."""

import json
import re

from everlore.domain.counters import PROMPT_TOKENS, PROMPTS
from everlore.observe.exposition import exposition
from everlore.store.answers import KindCount
from tests.house.tree import ROOT
from tests.observe.test_metrics import metrics_of

DEPLOY = ROOT / "deploy"
TEXTS = {path: path.read_text(encoding="utf-8") for path in DEPLOY.rglob("*") if path.is_file()}


def test_every_setting_is_one_of_everlore() -> None:
    known = set(re.findall(r"`(EVERLORE_\w+)`", (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")))
    named = {name for text in TEXTS.values() for name in re.findall(r"\bEVERLORE_[A-Z_]+[A-Z]\b", text)}

    assert len(named) > 3
    assert named <= known


def test_every_command_is_one_of_everlore() -> None:
    known = set(re.findall(r"^## (everlore .+)$", (ROOT / "docs" / "cli.md").read_text(encoding="utf-8"), re.MULTILINE))
    readme = TEXTS[DEPLOY / "README.md"]
    named = re.findall(r"(?:`|^|--rm )everlore ((?:[a-z]+ )?[a-z]+)", readme, re.MULTILINE)

    assert len(named) > 5
    assert not [each for each in named if not {f"everlore {each}", f"everlore {each.split()[0]}"} & known]


def test_the_dashboard_shows_metrics_that_exist() -> None:
    totals = [KindCount("memory", "FACT", 1), KindCount("count", PROMPTS, 1), KindCount("count", PROMPT_TOKENS, 9)]
    served = set(re.findall(r"^# TYPE (\w+)", exposition("w", metrics_of(totals)), re.MULTILINE))
    dashboard = json.loads(TEXTS[DEPLOY / "grafana" / "everlore.json"])
    shown = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"everlore_\w+", target["expr"])
    }

    assert len(shown) > 10
    assert shown <= served
