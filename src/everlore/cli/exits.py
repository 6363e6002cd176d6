"""The exit codes, as docs/cli.md describes them. Those of our errors are defined with the errors."""

from everlore import errors

OK = 0
BUG = 1
INTERRUPTED = 130

MEANINGS: dict[int, str] = {
    OK: "Success.",
    BUG: "An unexpected error: a bug in Everlore. `EVERLORE_LOG_LEVEL=debug` shows where.",
    errors.BadAsk.exit_code: "Invalid input: an unknown option, unreadable text, a number out of range.",
    errors.NotFound.exit_code: "Not found: nothing in this workspace has that id or name.",
    errors.Forbidden.exit_code: "Not allowed in this mode or for this role.",
    errors.Conflict.exit_code: "Conflict: it was changed in the meantime. Look again, then repeat.",
    errors.Misconfigured.exit_code: "A setting, a file or the installation is wrong. `everlore doctor` says what.",
    errors.StoreUnavailable.exit_code: "The database is not available right now.",
    errors.ModelMisbehaved.exit_code: "A model or an embedding server failed, timed out or sent an invalid answer.",
    INTERRUPTED: "Interrupted with Ctrl-C. Everything acknowledged before is saved.",
}
