"""What explanations tell people to type: every command of a next step is one, with all that it needs."""

import re
import shlex

import pytest

from duly.interfaces.cli import tree
from duly.model.states import Outcome
from duly.policy import explain

STEPS = {
    **{reason.value: means.next_step for reason, means in explain.SENTENCES.items()},
    **{
        f"{reason.value} after a plain failure": explain.next_step(
            reason, Outcome.FAILED_BEFORE_WRITE
        )
        for reason in explain.SENTENCES
    },
    **{f"verdict {verdict.value}": means.next_step for verdict, means in explain.VERDICTS.items()},
}
COMMANDS = sorted(
    {found for step in STEPS.values() for found in re.findall("`duly ([^`]*)`", step)}
)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_a_next_step_can_be_typed_as_it_stands(line):
    group, words = tree.root, shlex.split(line)
    while isinstance(group, tree.LazyGroup):
        name, *words = words
        group = group.get_command(None, name)
        assert group is not None, name
    with group.make_context(name, words):
        pass


@pytest.mark.parametrize("line", [line for line in COMMANDS if "--redo" in line])
def test_work_that_is_to_be_made_anew_is_named_by_its_window(line):
    assert "--window W" in line
