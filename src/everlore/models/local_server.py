"""The child process of `LocalChat`: serves one GGUF file at a free local port until its input closes.

    python -m everlore.models.local_server PATH CONTEXT_WINDOW

The key that callers must send is the first line of its input, so that it never appears in a process list. The address
is the first line of its output. It exits when its input closes, which also happens when its parent dies.
"""

import sys


def serve(path: str, context_window: int, key: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = context_window
    params.n_parallel = 1  # the whole context for each call; calls run one after the other
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    # Refuse web pages: none of them is a legitimate caller.
    params.cors_origins = "null"
    params.ui = False
    params.verbosity = 1  # errors only
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        # llama.cpp has already logged the details.
        sys.exit(f"{path}: {error}")
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), sys.stdin.readline().strip())
