"""Definitions: all faults at once and placed, careful defaults, one digest for one meaning."""

import json

import pytest

from duly.model.errors import ValidationError
from duly.model.instant import DAY_US, MINUTE_US, SECOND_US, Instant, to_text
from duly.model.plan import (
    CatchUpBounded,
    CatchUpLatest,
    CatchUpNone,
    Home,
    Isolation,
    OverlapAllow,
    OverlapQueueOne,
    OverlapSkip,
    Restart,
)
from duly.model.timing import AnchorClass, Period
from duly.service.definition import source
from duly.service.definition.document import RESERVED, Document
from tests.service.definitions import CREATED_AT, PLAIN, faults, prepared


def test_a_plain_definition_gets_the_careful_defaults(tmp_path):
    plan = prepared(PLAIN, tmp_path).plan
    assert isinstance(plan.timing.overlap, OverlapSkip)
    assert isinstance(plan.timing.catch_up, CatchUpNone)
    assert plan.timing.late_us_max == 5 * MINUTE_US
    assert plan.work.isolation is Isolation.STAGED
    assert plan.work.agent.home is Home.PRIVATE
    assert plan.work.agent.restart is Restart.PROVEN
    assert plan.work.retry.attempts_max == 1
    assert plan.work.write_scope == ("reports/{window}.md",)
    assert plan.work.root == str(tmp_path)


def test_all_faults_come_at_once_each_with_its_line(tmp_path):
    found = faults(
        """
        job_key: Not A Key
        schedule:
          cron: "0 9 * * *"
          timezone: Mars/Olympus
        agent:
          command: ls -l
          modell: x
        prioritty: 3
        """,
        tmp_path,
    )
    at = {fault.pointer: fault.line for fault in found}
    assert at["/job_key"] == 2
    assert at["/agent/command"] == 7
    assert at["/agent/modell"] == 8
    assert at["/prioritty"] == 9
    fixes = {fault.pointer: fault.fix for fault in found}
    assert "priority" in fixes["/prioritty"]


def test_faults_of_meaning_come_at_once_too(tmp_path):
    found = faults(
        """
        job_key: digest
        schedule: {cron: "0 9 * * *", timezone: Mars/Olympus}
        agent: {command: [no-such-program-here]}
        cwds: [missing]
        write_scope: ["../outside/*", "/etc/*"]
        inputs: {repo: nowhere}
        """,
        tmp_path,
    )
    assert {fault.pointer for fault in found} >= {
        "/schedule/timezone",
        "/agent/command/0",
        "/cwds/0",
        "/write_scope/0",
        "/write_scope/1",
        "/inputs/repo",
    }
    assert all(fault.line for fault in found)


@pytest.mark.parametrize("pointer", sorted(RESERVED))
def test_case_b07_a_field_that_is_not_built_is_refused_by_name(pointer, tmp_path):
    names = pointer.strip("/").split("/")
    document = {
        "job_key": "digest",
        "schedule": {"cron": "0 9 * * *"},
        "agent": {"command": ["sh"]},
    }
    if names[0] == "overlap":
        document["overlap"] = {"allow": 1, names[1]: "x"}
    elif len(names) == 1:
        document[names[0]] = "x"
    else:
        document[names[0]] = {**document.get(names[0], {}), names[1]: "x"}
    found = [fault for fault in faults(json.dumps(document), tmp_path) if fault.pointer == pointer]
    assert found and "not supported yet" in found[0].message


def test_case_b07_a_driver_that_does_not_exist_is_refused(tmp_path):
    text = PLAIN.replace("{command:", "{driver: gemini, command:")
    assert [fault.pointer for fault in faults(text, tmp_path)] == ["/agent/driver"]


def test_case_b04_a_tolerance_below_the_scan_period_is_refused_with_the_smallest_allowed(tmp_path):
    text = PLAIN.replace("timezone:", "tolerance: 0s, timezone:")
    (found,) = faults(text, tmp_path)
    assert found.pointer == "/schedule/tolerance"
    assert "30s" in found.fix


def test_the_smallest_allowed_tolerance_is_taken(tmp_path):
    text = PLAIN.replace("timezone:", "tolerance: 30s, timezone:")
    assert prepared(text, tmp_path).plan.timing.late_us_max == 30 * SECOND_US


@pytest.mark.parametrize(
    "catch_up",
    ["all", "unbounded", "{bounded: {count: 3}}", "{bounded: {count: 101, max_age: 1d}}"],
)
def test_case_c06_a_catch_up_without_a_bound_is_refused(catch_up, tmp_path):
    found = faults(PLAIN + f"    catch_up: {catch_up}\n", tmp_path)
    assert found and all(fault.pointer.startswith("/catch_up") for fault in found)


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("skip", OverlapSkip()),
        ("queue_one", OverlapQueueOne()),
        ("{allow: 3}", OverlapAllow(count=3)),
    ],
)
def test_overlap_is_read(written, kind, tmp_path):
    assert prepared(PLAIN + f"    overlap: {written}\n", tmp_path).plan.timing.overlap == kind


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("none", CatchUpNone()),
        ("latest", CatchUpLatest(age_us_max=None)),
        ("{latest: {max_age: 12h}}", CatchUpLatest(age_us_max=12 * 60 * MINUTE_US)),
        ("{bounded: {count: 3, max_age: 2m}}", CatchUpBounded(count=3, age_us_max=2 * MINUTE_US)),
    ],
)
def test_catch_up_is_read(written, kind, tmp_path):
    assert prepared(PLAIN + f"    catch_up: {written}\n", tmp_path).plan.timing.catch_up == kind


def test_case_d09_a_daily_rule_made_at_an_odd_second_fires_at_the_full_hour(tmp_path):
    schedule = prepared(PLAIN, tmp_path).schedule
    assert schedule is not None
    year = schedule.between(CREATED_AT, Instant(CREATED_AT + 365 * DAY_US), 400).slots
    assert len(year) == 365
    assert {slot.key[10:] for slot in year} == {"T09:00:00[Europe/Berlin]"}


def test_case_d08_without_a_zone_the_workspace_s_is_taken_and_stored(tmp_path):
    text = PLAIN.replace(", timezone: Europe/Berlin", "")
    timing = prepared(text, tmp_path).plan.timing
    assert timing.zone == "Asia/Taipei"
    assert timing.anchor is AnchorClass.WALL


def test_case_d07_an_edit_of_the_prompt_alone_keeps_zone_start_and_window(tmp_path):
    before = prepared(PLAIN + "    prompt: old\n", tmp_path)
    after = prepared(PLAIN + "    prompt: new\n", tmp_path, before.plan)
    assert after.plan.timing == before.plan.timing
    assert after.digest != before.digest


def test_case_a26_a_second_slot_a_day_keeps_the_window_rule(tmp_path):
    before = prepared(PLAIN, tmp_path).plan
    assert before.timing.window.period is Period.DAY
    after = prepared(
        PLAIN.replace("FREQ=DAILY;BYHOUR=9", '"FREQ=DAILY;BYHOUR=9,18"'), tmp_path, before
    ).plan
    assert after.timing.window.period is Period.DAY


def test_the_digest_is_of_what_was_written_not_of_defaults_or_order(tmp_path):
    reordered = """
        result_artifact: reports/{window}.md
        agent: {command: [sh, -c, "true"]}
        schedule: {timezone: Europe/Berlin, rrule: FREQ=DAILY;BYHOUR=9}
        job_key: digest
    """
    assert prepared(PLAIN, tmp_path).digest == prepared(reordered, tmp_path).digest
    spelled_out = PLAIN + "    overlap: skip\n"
    assert prepared(PLAIN, tmp_path).digest != prepared(spelled_out, tmp_path).digest


def test_a_prompt_file_is_frozen_by_its_content(tmp_path):
    (tmp_path / "ask.md").write_text("first")
    text = PLAIN + "    prompt: {file: ask.md}\n"
    before = prepared(text, tmp_path)
    (tmp_path / "ask.md").write_text("second")
    after = prepared(text, tmp_path)
    assert before.digest != after.digest
    assert (before.plan.work.prompt, after.plan.work.prompt) == ("first", "second")


def test_an_artifact_outside_the_scope_is_refused(tmp_path):
    found = faults(PLAIN + "    write_scope: [other/*]\n", tmp_path)
    assert [fault.pointer for fault in found] == ["/result_artifact"]


@pytest.mark.parametrize("path", ["../x.md", "/etc/passwd", "a/../../x", "{prompt}.md", "a//b"])
def test_an_artifact_path_that_leaves_the_root_or_cannot_be_known_is_refused(path, tmp_path):
    text = PLAIN.replace("reports/{window}.md", f'"{path}"')
    assert "/result_artifact" in {fault.pointer for fault in faults(text, tmp_path)}


def test_a_secret_is_a_reference_and_is_not_shown_when_it_is_not(tmp_path):
    text = PLAIN.replace("{command:", "{secrets: {TOKEN: hunter2-hunter2}, command:")
    (found,) = faults(text, tmp_path)
    assert found.pointer == "/agent/secrets/TOKEN"
    assert "hunter2" not in found.message + found.fix


def test_bounds_are_read_in_the_zone(tmp_path):
    timing = prepared(PLAIN + "    valid_from: 2026-12-24\n", tmp_path).plan.timing
    assert timing.valid_from is not None
    assert to_text(timing.valid_from) == "2026-12-23T23:00:00Z"


def test_bounds_in_the_wrong_order_are_refused(tmp_path):
    text = PLAIN + "    valid_from: 2026-12-24\n    valid_until: 2026-12-23\n"
    assert [fault.pointer for fault in faults(text, tmp_path)] == ["/valid_until"]


def test_two_rules_are_one_too_many(tmp_path):
    text = PLAIN.replace("{rrule:", '{cron: "0 9 * * *", rrule:')
    assert "/schedule" in {fault.pointer for fault in faults(text, tmp_path)}


def test_without_a_schedule_it_runs_only_by_hand(tmp_path):
    made = prepared("job_key: digest\nagent: {command: [sh]}\nexpect: {exit: [0]}\n", tmp_path)
    assert made.schedule is None
    assert made.plan.timing.rule is None


def test_nothing_expected_is_a_warning_because_no_run_could_complete(tmp_path):
    made = prepared("job_key: digest\nagent: {command: [sh]}\n", tmp_path)
    assert [fault.pointer for fault in made.warnings] == ["/expect"]


@pytest.mark.parametrize(
    "text",
    [
        "job_key: a\njob_key: b\n",
        "job_key: [unclosed",
        "- a\n- b\n",
        "just text",
        "1: x\n",
        "a: !!python/object:os.system x\n",
        "a: \x00",
        "&a [*a]",
    ],
)
def test_what_is_no_mapping_of_names_is_refused_with_its_line(text):
    with pytest.raises(ValidationError) as refused:
        source.read(text)
    assert refused.value.faults


def test_a_bomb_of_aliases_is_refused():
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(ValidationError) as refused:
        source.read("\n".join(lines))
    assert "5,000" in refused.value.faults[0].message


@pytest.mark.parametrize(
    "text",
    [
        "a: [" + "x," * 300_000 + "]",
        "a:\n" + "".join(f"  k{number}: v\n" for number in range(50_000)),
        "a: " + "[" * 200_000,
        "a: " + "{a: " * 100_000,
        "&a [" + "*a," * 200_000 + "]",
    ],
)
def test_too_much_is_refused_where_it_begins_and_not_read_to_its_end(text):
    class Reading(source._Bounded):
        events = 0

        def get_event(self):
            Reading.events += 1
            return super().get_event()

    with pytest.raises(ValidationError) as refused:
        source._read(text, Reading)
    assert "5,000" in refused.value.faults[0].message
    assert Reading.events < 3 * source.VALUES_MAX


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\na: 1\n" * (source.DOCUMENTS_MAX + 1), "2,000 definitions"),
        (("---\na: [" + "x," * 4_000 + "]\n") * 30, "50,000 values"),
        ("a: [" + "x," * 200_000 + "]", "5,000 values"),
    ],
)
def test_too_much_is_refused_before_pythons_own_parser_has_begun(text, words, monkeypatch):
    monkeypatch.setattr(source, "_read", None)
    with pytest.raises(ValidationError) as refused:
        source.read(text)
    assert words in refused.value.faults[0].message


def test_without_libyaml_the_same_is_refused(monkeypatch):
    monkeypatch.setattr("yaml.__with_libyaml__", 0)
    for text in ("---\na: 1\n" * (source.DOCUMENTS_MAX + 1), "a: " + "[" * 50, "a: b\n\tc: d"):
        with pytest.raises(ValidationError):
            source.read(text)


@pytest.mark.parametrize(
    ("added", "pointer"),
    [
        ("prompt: {file: nope.md}", "/prompt/file"),
        ("prompt: {text: x, skills: [nope.md]}", "/prompt/skills/0"),
        ("cwds: [/nope]", "/cwds/0"),
    ],
)
def test_each_fault_is_told_once(added, pointer, tmp_path):
    assert [fault.pointer for fault in faults(f"{PLAIN}    {added}\n", tmp_path)] == [pointer]


@pytest.mark.parametrize(
    "value",
    [
        *("010", "0x10", "0b1", "1_000", "1:30", "+5", "9" * 5_000, ".inf", ".nan", "1.5e+3"),
        *("!!int x", "!!float x", "!!bool maybe", "!!null x", "!!binary aGk=", "!!timestamp x"),
        *("!!set {a, b}", "!!omap [a: 1]", "!!pairs [a: 1]", "!!map [a]", "!!seq {a: 1}"),
        *("<<", "=", "!custom x"),
    ],
)
def test_a_value_that_yaml_would_read_as_something_else_is_refused_with_its_line(value):
    with pytest.raises(ValidationError) as refused:
        source.read(f"a: 1\nb: {value}\n")
    (fault,) = refused.value.faults
    assert (fault.pointer, fault.line) == ("/b", 2)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        *(("0", 0), ("-7", -7), ("2.5", 2.5), ("Yes", True), ("off", False), ("~", None)),
        *(("1e3", "1e3"), ("!!str 123", "123"), ('"010"', "010"), ("2026-12-24", "2026-12-24")),
    ],
)
def test_plain_values_are_read_as_they_look(written, read):
    (found,) = source.read(f"a: {written}\n")
    assert found.data == {"a": read}


def test_dates_stay_the_text_that_was_written():
    (written,) = source.read("valid_from: 2026-12-24\n")
    assert written.data == {"valid_from": "2026-12-24"}


def test_the_published_schema_names_every_field():
    schema = Document.model_json_schema()
    assert set(schema["properties"]) == set(Document.model_fields)
