"""The lines of Python in each package stay within `size-budget.toml`, so that growth is a decision."""

import tomllib

from tests.house.tree import ROOT, SOURCE

BUDGET = tomllib.loads((ROOT / "size-budget.toml").read_text(encoding="utf-8"))["lines"]
SLACK = 0.02


def lines_by_package() -> dict[str, int]:
    sizes: dict[str, int] = {}
    for path in SOURCE.rglob("*.py"):
        package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        name = package if (SOURCE / package).is_dir() else "modules"
        sizes[name] = sizes.get(name, 0) + len(path.read_text(encoding="utf-8").splitlines())
    return sizes


def test_no_package_grows_beyond_its_budget() -> None:
    sizes = lines_by_package()
    grown = {name: (size, BUDGET.get(name, 0)) for name, size in sizes.items() if size > BUDGET.get(name, 0)}

    assert not grown, f"More lines than size-budget.toml allows (now, allowed): {grown}"


def test_the_budget_falls_with_the_code() -> None:
    sizes = lines_by_package()
    slack = {
        name: (sizes.get(name, 0), most) for name, most in BUDGET.items() if sizes.get(name, 0) < most * (1 - SLACK)
    }

    assert not slack, f"Lower size-budget.toml to what is left (now, allowed): {slack}"
