#!/usr/bin/env bash
# Every check of the project, one after the other, with a line before each; arguments go to pytest.
# All checks run even if an early one fails; the names of those that failed are printed, pytest's summary comes last.
set -uo pipefail
cd "$(dirname "$0")/.."

bin=.venv/bin
failed=()
started=$SECONDS

step() {
    local name=$1 begun=$SECONDS
    shift
    echo "==> $name"
    if "$@"; then
        echo "    $name: ok ($((SECONDS - begun)) s)"
    else
        echo "    $name: FAILED ($((SECONDS - begun)) s)"
        failed+=("$name")
    fi
}

echo "==> chromium"
chromium=$(scripts/chromium.sh) || failed+=("chromium")
export EVERLORE_TEST_CHROMIUM=$chromium
[[ -z $chromium ]] || echo "    $chromium"

step "ruff check" "$bin/ruff" check --quiet
step "ruff format" "$bin/ruff" format --check --quiet
step "mypy" "$bin/mypy"
step "lint-imports" "$bin/lint-imports" --no-logo
step "web build" scripts/web.sh
step "web check" scripts/web.sh check

# Where Python writes no bytecode of its own accord (PYTHONDONTWRITEBYTECODE), every process of a test would compile
# everything again.
step "bytecode" "$bin/python" -m compileall -q src

if ((${#failed[@]})); then
    echo "failed before the tests: ${failed[*]}"
fi

echo "==> pytest"
# One process for each core; whoever is done takes tests from the other.
"$bin/python" -m pytest --numprocesses=logical --dist=worksteal "$@"
tests=$?

if ((tests != 0)); then
    failed+=("pytest")
fi
if ((${#failed[@]})); then
    (IFS=,; echo "FAILED after $((SECONDS - started)) s: ${failed[*]}" >&2)
    exit 1
fi
