"""The exit codes, in the words of docs/cli.md. Those of our errors stand beside the errors."""

from everlore import errors

OK = 0
BUG = 1
INTERRUPTED = 130

MEANINGS: dict[int, str] = {
    OK: "It worked.",
    BUG: "Something unexpected happened: a bug of ours. `EVERLORE_LOG_LEVEL=debug` shows where.",
    errors.BadAsk.exit_code: "The command was asked for something that cannot be: an unknown option, a broken text, "
    "a number out of range.",
    errors.NotFound.exit_code: "Nothing in this workspace has that id or that name.",
    errors.Forbidden.exit_code: "The mode or the role of the caller does not allow it.",
    errors.Conflict.exit_code: "Somebody else changed it first. Look again, then repeat.",
    errors.Misconfigured.exit_code: "A setting, a file or the installation is wrong. `everlore doctor` says what.",
    errors.StoreUnavailable.exit_code: "The database cannot be reached, read or written just now.",
    errors.ModelMisbehaved.exit_code: "A model or an embedding server failed, timed out or answered nonsense.",
    INTERRUPTED: "Interrupted with Ctrl-C. What was acknowledged before is kept.",
}
