"""Writes all log lines, of Everlore and of libraries, to standard error, as key=value or as JSON."""

import logging
import sys

import structlog


def configure_logs(level: str, *, as_json: bool) -> None:
    shared: list[structlog.types.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                _renderer(as_json),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Libraries log warnings only, unless debug logging is on.
    root.setLevel(
        logging.DEBUG if level == "debug" else max(logging.WARNING, logging.getLevelNamesMapping()[level.upper()])
    )
    logging.getLogger("everlore").setLevel(level.upper())


def _renderer(as_json: bool) -> structlog.types.Processor:
    if as_json:
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"])
