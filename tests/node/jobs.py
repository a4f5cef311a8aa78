"""Small automations for tests of a whole node."""

from pathlib import Path

REPORT = """
job_key: report
schedule: {{cron: "0 9 * * *", timezone: UTC}}
agent:
  command: [sh, -c, 'echo start >> "$DULY_CWDS/../starts"; mkdir -p reports; echo "$DULY_WINDOW" > "$DULY_ARTIFACT"']
  restart: {restart}
write_scope: [reports/*.md]
result_artifact: reports/{{window}}.md
"""


def report(restart: str) -> str:
    """Return a job that notes each start outside, and writes one file in its scope."""
    return REPORT.format(restart=restart)


def starts(root: Path) -> int:
    """Return how often the job's program was started."""
    noted = root.parent / "starts"
    return len(noted.read_text().splitlines()) if noted.exists() else 0
