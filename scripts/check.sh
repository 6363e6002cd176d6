#!/usr/bin/env bash
# Every check of the project; arguments go to pytest. What needs no tests runs first, two at a time, and says what it
# found when it is done. All checks run even if an early one fails. The last lines say how long each part took.
set -uo pipefail
cd "$(dirname "$0")/.."

bin=.venv/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Where Python writes no bytecode of its own accord, every process of a test would compile everything again.
unset PYTHONDONTWRITEBYTECODE

took() {
    printf '%7d s  %s%s\n' "$2" "$1" "${3:+: $3}"
}

# Its output stands together, however many run beside it.
step() {
    local name=$1 begun=$SECONDS out="$work/${1// /-}" verdict=
    shift
    "$@" >"$out" 2>&1 || verdict=FAILED
    { echo "==> $name: ${verdict:-ok} ($((SECONDS - begun)) s)"; cat "$out"; } >"$out.said"
    cat "$out.said"
    took "$name" $((SECONDS - begun)) "$verdict" >"$out.took"
}

types() {
    step "mypy" "$bin/mypy"
}

everything_else() {
    step "ruff check" "$bin/ruff" check --quiet
    step "ruff format" "$bin/ruff" format --check --quiet
    step "bytecode" "$bin/python" -m compileall -q src
    step "lint-imports" "$bin/lint-imports" --no-logo
    step "web build" scripts/web.sh
    step "web check" scripts/web.sh check
}

begun=$SECONDS
echo "==> chromium"
chromium=$(scripts/chromium.sh) || took "chromium" 0 FAILED >"$work/chromium.took"
export EVERLORE_TEST_CHROMIUM=$chromium
[[ -z $chromium ]] || echo "    $chromium"

echo "==> ruff, bytecode, lint-imports and the web application beside mypy"
types &
everything_else &
wait

echo "==> pytest"
# One process for each core; whoever is done takes tests from the other.
tests=$SECONDS verdict=
"$bin/python" -m pytest --numprocesses=logical --dist=worksteal "$@" || verdict=FAILED
took "pytest" $((SECONDS - tests)) "$verdict" >"$work/pytest.took"

failed=$(grep -lr ': FAILED$' --include='*.took' "$work")
sort -n "$work"/*.took
took "all" $((SECONDS - begun)) "${failed:+FAILED}"
[[ -z $failed ]]
