"""Definitions to start from; what the easy way chooses for its user, they say."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SCHEMA_FILE: Final = "duly.schema.json"
_HEAD: Final = f"# yaml-language-server: $schema={SCHEMA_FILE}\n"

TEMPLATES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "command": _HEAD
        + """# A command at a time of day, as under cron, but done once for each day and accounted for.
job_key: nightly-cleanup
schedule:
  cron: "30 2 * * *"
agent:
  command: [sh, -c, "echo cleaned"]
  home: inherit      # sees your own HOME; `private` gives it one of its own
  restart: safe      # it may simply run again after a failure
isolation: in_place  # works in this directory itself; `staged` gives it a copy
expect:
  exit: [0]          # what counts as done; a file or a check proves more
catch_up:
  latest: {max_age: 1d}
# notify: {command: [mail-me]}   # who is told when it fails, is missed, or needs you
""",
        "report": _HEAD
        + """# A report for each day, written into one file; nothing else may be changed.
job_key: daily-report
schedule:
  rrule: FREQ=DAILY;BYHOUR=7
window:
  period: day
  covers: previous   # the report is about yesterday
agent:
  command: [sh, -c, "mkdir -p reports && date > reports/$DULY_WINDOW.md"]
  restart: safe
write_scope: ["reports/**"]
result_artifact: reports/{window}.md
expect:
  artifact: true     # done when the file is there
catch_up:
  latest: {max_age: 1d}
side_effect_policy:
  remote_write: denied
  overwrite_same_artifact: allowed
# notify: {command: [mail-me]}   # who is told when it fails, is missed, or needs you
""",
    }
)
