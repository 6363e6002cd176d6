"""The child process of `LocalChat`: serves one GGUF file at a free port of this machine, until it is let go.

    python -m everlore.models.local_server PATH CONTEXT_WINDOW

The key that callers must send is the first line of its input, so that no list of processes shows it. The
address is the first line of its output. It ends with its input, that is also when its parent dies.
"""

import sys


def serve(path: str, context_window: int, key: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = context_window
    params.n_parallel = 1  # the whole context for each call, one call after the other
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    # Pages in a browser are callers too, and none of them is ours.
    params.cors_origins = "null"
    params.ui = False
    params.verbosity = 1  # errors only
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        # What llama.cpp has to say about it is in the log already.
        sys.exit(f"{path}: {error}")
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), sys.stdin.readline().strip())
