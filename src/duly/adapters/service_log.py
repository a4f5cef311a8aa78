"""The service's own log: one line for each event, on stderr and in a file that is rotated."""

import logging
import sys
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final

import structlog

FILE: Final = "service.log"
CRASH_FILE: Final = "crash.log"
_FILE_BYTES_MAX: Final = 5_000_000
_FILES_KEPT: Final = 5


def configure(logs: Path) -> Any:
    """Start logging to stderr and `logs/service.log`; return the logger."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(
                key_order=("timestamp", "level", "event"), bool_as_flag=False
            ),
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    file = RotatingFileHandler(
        logs / FILE, maxBytes=_FILE_BYTES_MAX, backupCount=_FILES_KEPT, encoding="utf-8"
    )
    logging.basicConfig(
        format="%(message)s",
        level=logging.INFO,
        handlers=[file, logging.StreamHandler(sys.stderr)],
        force=True,
    )
    # What others log is worth a line only when something is wrong.
    for other in ("uvicorn", "asyncio"):
        logging.getLogger(other).setLevel(logging.WARNING)
    return structlog.get_logger("duly")


def keep_traceback(logs: Path, error: BaseException) -> Path | None:
    """Write down how an unexpected error came about; None when not even that is possible."""
    path = logs / CRASH_FILE
    try:
        logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(traceback.format_exception(error)) + "\n")
    except OSError:
        return None
    return path
