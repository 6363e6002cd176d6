#!/usr/bin/env bash
# Looks long for what is rare: random villages with a hundred thousand reads, processes that are killed again and again,
# long searches for a counterexample. Each time another way, whose seed is printed; SEED=1234 takes one once more, on the
# same machine. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
echo "==> soak: SEED=$seed"
EVERLORE_TEST_CHROMIUM=$(scripts/chromium.sh)
export EVERLORE_TEST_CHROMIUM EVERLORE_SOAK=$seed
unset PYTHONDONTWRITEBYTECODE
.venv/bin/python -m pytest --numprocesses=logical --dist=worksteal -m "soak or hypothesis" --timeout=7200 --durations=40 \
    --randomly-seed="$seed" --hypothesis-seed="$seed" "$@" || {
    echo "==> once more: make soak SEED=$seed${*:+ ARGS=\"$*\"}" >&2
    exit 1
}
