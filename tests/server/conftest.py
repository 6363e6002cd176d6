from tests.cli.conftest import cli, cli_of_silent_server, silent_server

__all__ = ["cli", "cli_of_silent_server", "silent_server"]
