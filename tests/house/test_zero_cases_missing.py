"""Each promised acceptance case has a test, and the catalogue says which. Last, since all else comes first."""

from tools import acceptance_cases


def test_every_test_for_a_case_names_a_case_of_the_catalogue():
    assert sorted(acceptance_cases.tests().keys() - set(acceptance_cases.cases())) == []


def test_every_promise_is_in_the_catalogue():
    assert sorted(acceptance_cases.PROMISED - set(acceptance_cases.cases())) == []


def test_every_promised_case_has_a_test():
    assert sorted(acceptance_cases.PROMISED - acceptance_cases.tests().keys()) == []


def test_the_catalogue_names_the_tests():
    written = acceptance_cases.CATALOGUE.read_text(encoding="utf-8").splitlines()
    pairs = zip(written, acceptance_cases.filled().splitlines(), strict=True)
    assert [is_row.split("|")[1].strip() for is_row, should in pairs if is_row != should] == [], (
        "run `make docs`"
    )
