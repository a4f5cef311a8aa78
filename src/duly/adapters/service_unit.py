"""The unit that starts Duly when its user logs in: systemd on Linux, launchd on macOS."""

import os
import pwd
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from duly.model.errors import (
    ConflictError,
    Fault,
    NotFoundError,
    UnavailableError,
    ValidationError,
)

NAME: Final = "duly"
NOT_DONE: Final = "not done: "
_LABEL: Final = "org.duly.duly"
_COMMAND_S: Final = 30
# A line by which we know a unit of ours again, so that nobody else's is overwritten or removed.
_MARK: Final = "written by `duly service install`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit file, and the commands that bring it to life and end it."""

    path: Path
    text: str
    start: tuple[tuple[str, ...], ...]
    stop: tuple[tuple[str, ...], ...]


def unit(home: Path, argv: tuple[str, ...], search_path: str) -> Unit:
    """Return the unit of this platform for a data directory; programs are looked up in `search_path`.

    Raises ValidationError when a unit cannot hold one of these texts.
    """
    for text in (str(home), *argv, search_path):
        _refuse_what_no_unit_holds(text)
    if sys.platform == "darwin":
        return _launchd(home, argv, search_path)
    return _systemd(home, argv, search_path)


def install(wanted: Unit) -> list[str]:
    """Write the unit and start it; return what was done, and, after `NOT_DONE`, what could not be.

    Raises ConflictError for a file that is not ours.
    """
    if wanted.path.exists() and not _is_ours(wanted.path):
        raise ConflictError(
            f"{wanted.path} exists and was not written by Duly", fix="Move it away first."
        )
    try:
        wanted.path.parent.mkdir(parents=True, exist_ok=True)
        wanted.path.write_text(wanted.text, encoding="utf-8")
    except OSError as error:
        raise UnavailableError(
            f"{wanted.path} cannot be written ({error.strerror})", fix="Correct its permissions."
        ) from error
    return [f"wrote {wanted.path}", *_all(wanted.start)]


def remove(wanted: Unit) -> list[str]:
    """End the service and remove its unit; return what was done. Raises NotFoundError, ConflictError."""
    if not wanted.path.exists():
        raise NotFoundError(f"there is no {wanted.path}", fix="Nothing to remove.")
    if not _is_ours(wanted.path):
        raise ConflictError(f"{wanted.path} was not written by Duly", fix="Remove it yourself.")
    done = _all(wanted.stop)
    wanted.path.unlink()
    return [*done, f"removed {wanted.path}"]


def _refuse_what_no_unit_holds(text: str) -> None:
    """A line break would begin a line of the unit's own; other control characters, and bytes, it cannot say."""
    if any(
        character < " " or character == "\x7f" or "\ud800" <= character <= "\udfff"
        for character in text
    ):
        message = f"a service unit cannot hold {text!r}"
        fix = "choose a data directory, and a PATH, without control characters, in UTF-8"
        raise ValidationError([Fault(pointer="", message=message, fix=fix)])


def _is_ours(path: Path) -> bool:
    return _MARK.encode() in path.read_bytes()


def _user_home() -> Path:
    try:
        return Path(os.environ.get("HOME") or pwd.getpwuid(os.geteuid()).pw_dir)
    except KeyError:
        raise UnavailableError(
            "this user has no home directory to put a unit in", fix="Set HOME."
        ) from None


def _config() -> Path:
    """Return where systemd looks for a user's settings; like systemd, take no relative place for one."""
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    return named if named.is_absolute() else _user_home() / ".config"


def _all(commands: tuple[tuple[str, ...], ...]) -> list[str]:
    return [_one(command) for command in commands]


def _one(command: tuple[str, ...]) -> str:
    shown = " ".join(command)
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_COMMAND_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{NOT_DONE}{shown} ({error})"
    why = ended.stderr.strip().splitlines()
    return f"ran {shown}" if ended.returncode == 0 else f"{NOT_DONE}{shown} ({'; '.join(why)})"


def _systemd(home: Path, argv: tuple[str, ...], search_path: str) -> Unit:
    name = f"{NAME}.service"
    text = f"""# {_MARK}
[Unit]
Description=Duly, unattended work done once for each window
After=network.target

[Service]
Type=notify
ExecStart={" ".join(_quoted(word).replace("$", "$$") for word in argv)}
Environment={_quoted(f"DULY_HOME={home}")}
Environment={_quoted(f"PATH={search_path}")}
Restart=on-failure
RestartSec=2
TimeoutStopSec=90
KillMode=mixed

[Install]
WantedBy=default.target
"""
    control = ("systemctl", "--user")
    return Unit(
        path=_config() / "systemd" / "user" / name,
        text=text,
        start=((*control, "daemon-reload"), (*control, "enable", "--now", name)),
        stop=((*control, "disable", "--now", name),),
    )


def _quoted(word: str) -> str:
    """Return a word as systemd reads it back whole. Variables are expanded in ExecStart only."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{plain}"'


def _launchd(home: Path, argv: tuple[str, ...], search_path: str) -> Unit:
    words = "\n".join(f"    <string>{escape(word)}</string>" for word in argv)
    path = _user_home() / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
    text = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- {_MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
{words}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>DULY_HOME</key>
    <string>{escape(str(home))}</string>
    <key>PATH</key>
    <string>{escape(search_path)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
"""
    return Unit(
        path=path,
        text=text,
        start=(("launchctl", "load", "-w", str(path)),),
        stop=(("launchctl", "unload", "-w", str(path)),),
    )
