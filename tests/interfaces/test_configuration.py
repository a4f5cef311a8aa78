"""What is configured, where it was said, and what wins; the data directory and its token."""

import pytest

from duly.adapters import config, home, machine
from duly.adapters.clock import wall
from duly.app import configured
from duly.model.errors import UnavailableError, ValidationError
from duly.model.instant import MINUTE_US, Instant

FILE = """\
limit = 2
lease = "5min"
notify_command = ["mail me", "--now"]
beyond_loopback = true
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text(FILE)
    return path


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(file):
    found = configured.read({"DULY_LIMIT": "7"}, file)
    assert found.settings.limit == 7
    assert found.settings.lease_us == 5 * MINUTE_US
    assert found.said.text("bind") == "127.0.0.1:0"
    assert found.said.text("beyond_loopback") == "yes"
    assert found.said.words("notify_command") == ("mail me", "--now")
    assert found.said.tells_somebody


def test_an_empty_variable_says_nothing(file):
    assert configured.read({"DULY_LIMIT": ""}, file).settings.limit == 2


def test_without_a_file_all_is_the_default(tmp_path):
    found = configured.read({}, tmp_path / "absent.toml")
    assert found.said.chosen == () and not found.said.tells_somebody


def test_every_value_is_shown_with_its_origin_but_no_secret(file):
    environ = {"DULY_NOTIFY": "https://hooks.example/secret", "DULY_LIMIT": "7"}
    shown = ", ".join(configured.read(environ, file).said.chosen)
    assert "limit = 7 (DULY_LIMIT)" in shown and f"lease = 5min ({file})" in shown
    assert "notify (DULY_NOTIFY)" in shown and "secret" not in shown


def test_a_misspelled_variable_is_named(file):
    environ = {"DULY_LEESE": "1s", "DULY_HOME": "/x", "OTHER": "1"}
    found = configured.read(environ, file).said.unknown
    assert found == ("DULY_LEESE",)
    assert not machine.look_at_names(found).is_good


def test_a_bad_value_says_where_it_was_given(file):
    with pytest.raises(ValidationError, match=r"DULY_LEASE: lease cannot be 'soon'"):
        configured.read({"DULY_LEASE": "soon"}, file)


def test_every_setting_stands_in_the_page():
    from tests.interfaces.test_command_line import ROOT

    page = (ROOT / "docs/configuration.md").read_text()
    for name, meaning in config.OWN.items():
        assert f"| `{name}` | `DULY_{name.upper()}` |" in page and meaning in page


def test_the_directory_is_made_private_with_a_token_that_stays(tmp_path):
    place = home.locate(str(tmp_path / "a" / "b"), {"DULY_HOME": "/elsewhere"})
    home.prepare(place)
    token = home.read_token(place)
    home.prepare(place)
    assert home.read_token(place) == token and len(token) > 40
    assert place.root.stat().st_mode & 0o777 == 0o700
    assert place.token.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in place.root.iterdir()) == [
        "backups",
        "bytes",
        "logs",
        "token",
    ]


def test_a_token_that_is_gone_is_told(tmp_path):
    with pytest.raises(UnavailableError, match="token"):
        home.read_token(home.Home(root=tmp_path))
    (tmp_path / "token").write_text("\n")
    with pytest.raises(UnavailableError, match="too short"):
        home.read_token(home.Home(root=tmp_path))


def test_case_b06_a_scan_that_is_two_periods_old_is_no_good():
    period_us = MINUTE_US
    for age_us, is_good in ((MINUTE_US, True), (3 * MINUTE_US, False)):
        look = machine.look_at_scans("process 7 runs", Instant(wall() - age_us), period_us)
        assert look.is_good is is_good and "process 7 runs" in look.message
    assert not machine.look_at_scans(None, None, period_us).is_good


def test_the_machine_is_looked_at_piece_by_piece(tmp_path):
    names = [look.name for look in machine.look(home.Home(root=tmp_path))]
    assert names == [
        "python",
        "data directory",
        "disk space",
        "disk sync",
        "clock",
        "git",
        "launcher",
    ]


@pytest.mark.parametrize(
    ("here", "in_force", "is_good"),
    [
        ("2026f", None, True),
        ("2026f", "2026f", True),
        ("2026f", "2026a", True),
        ("2026a", "2026f", False),
        ("2019c", None, False),
    ],
)
def test_zone_data_is_good_where_it_is_recent_and_as_new_as_the_ledgers(here, in_force, is_good):
    assert machine.look_at_zone_data(here, in_force).is_good is is_good
