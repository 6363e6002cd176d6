#!/usr/bin/env bash
# Runs the tests of the store and of leaks on a coordinator and two workers with Citus, which is built first.
# CITUS is a source tree of Citus, or the URL of its repository.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${CITUS:?Name a source tree of Citus or the URL of its repository: make test-scale CITUS=https://github.com/citusdata/citus}"
EVERLORE_TEST_CITUS="$(.venv/bin/python -m scripts.citus "$CITUS")"
export EVERLORE_TEST_CITUS
exec .venv/bin/python -m pytest -m postgres tests/contract tests/leaks tests/scale "$@"
