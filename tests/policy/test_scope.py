"""Globs of a write scope allow exactly what they say, whatever the paths are called, and never leave the root."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.policy import scope


@pytest.mark.parametrize(
    ("glob", "allowed", "denied"),
    [
        ("reports/*.md", ["reports/a.md", "reports/.md"], ["reports/a/b.md", "reports", "a.md"]),
        ("reports/", ["reports/a", "reports/a/b"], ["reports", "report/a", "x/reports/a"]),
        ("reports/**", ["reports/a", "reports/a/b"], ["reports"]),
        ("**", ["a", "a/b/c", ".hidden/x"], []),
        ("**/x", ["x", "a/x", "a/b/x"], ["a", "xx", "x/a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/b/b", "a/x/y/b"], ["a", "b", "a/b/c"]),
        ("a/**/b/**/c", ["a/b/c", "a/b/b/x/c", "a/c/b/c"], ["a/c", "a/c/b", "a/b/c/d"]),
        ("?.txt", ["a.txt", "é.txt"], [".txt", "ab.txt", "/.txt"]),
        ("*a*a*a*b", ["aaab", "xaxaxaxb"], ["a" * 200, "aab"]),
        ("[id]/page", ["[id]/page"], ["i/page", "d/page"]),
        ("README", ["README"], ["readme", "README/x", "README "]),
        ("*", ["a", "new\nline", "\udcff"], ["a/b"]),
        ("a.c", ["a.c"], ["abc"]),
    ],
)
def test_a_glob_allows_what_it_says(glob, allowed, denied):
    assert [path for path in allowed if not scope.matches([glob], path)] == []
    assert [path for path in denied if scope.matches([glob], path)] == []


@pytest.mark.parametrize(
    "path", ["", "/a", "a//b", "a/", "./a", "a/./b", "..", "../a", "a/../b", "a/.."]
)
def test_a_path_that_is_not_plain_matches_nothing(path):
    assert not scope.matches(["**", path, "**/*", "*/*"], path)


def test_without_globs_nothing_is_allowed():
    assert not scope.matches([], "a")


def test_a_path_is_allowed_by_any_of_the_globs():
    assert scope.matches(["a/*", "b/*"], "b/x")


@pytest.mark.parametrize(
    "glob",
    ["", "/etc/*", "~/x", "~", "..", "../x", "a/../b", "a\\b", "a\0b", "a//b", "./a", ".", "a**b"],
)
def test_a_glob_that_could_leave_the_root_or_mean_nothing_is_a_fault(glob):
    (fault, *_) = scope.faults(["fine/**", glob], "/publish/scope")
    assert fault.pointer == "/publish/scope/1"
    assert fault.fix


@pytest.mark.parametrize("glob", ["!secret.md", "*.{md,txt}", "a/{b,c}/d", "{,x}"])
def test_a_glob_that_means_more_elsewhere_is_a_fault_instead_of_silently_nothing(glob):
    (fault,) = scope.faults([glob])
    assert fault.message and fault.fix


def test_good_globs_have_no_faults():
    good = ["**", "a/", "a/**/b?.md", ".github/*", "a..b/x", "*.~", "{window}/*.md", "a!b"]
    assert scope.faults(good) == ()


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("src/**/*.py", ["src", "src/a", "src/a/b"], ["docs", "srcs", "x/src"]),
        ("reports/", ["reports", "reports/x"], ["report"]),
        ("a/*/c", ["a", "a/b"], ["b", "a/b/c"]),
        ("**/x", ["a", "a/b"], []),
        ("x", [], ["x", "a"]),
    ],
)
def test_a_directory_is_looked_into_only_if_something_beneath_it_could_be_allowed(glob, yes, no):
    assert [path for path in yes if not scope.reaches([glob], path)] == []
    assert [path for path in no if scope.reaches([glob], path)] == []


_NAMES = st.text("ab*?", min_size=1, max_size=4)


def _expected(glob: str) -> str:
    """The same rule as a regular expression, which may be slow but is easy to believe."""
    text = ""
    names = glob.split("/")
    for index, name in enumerate(names):
        if name != "**":
            text += re.escape(name).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
            text += "/" if index < len(names) - 1 else ""
        else:
            text += "(?:[^/]+/)*" if index < len(names) - 1 else "[^/]+(?:/[^/]+)*"
    return text


@given(
    st.lists(
        st.one_of(_NAMES.filter(lambda n: "**" not in n), st.just("**")), min_size=1, max_size=5
    ),
    st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=5),
)
def test_matching_agrees_with_a_regular_expression(glob, names):
    path = "/".join(names)
    if scope.matches(["/".join(glob)], path) and len(names) > 1:
        assert scope.reaches(["/".join(glob)], "/".join(names[:-1]))
    assert scope.matches(["/".join(glob)], path) == bool(
        re.fullmatch(_expected("/".join(glob)), path, re.DOTALL)
    )


@pytest.mark.parametrize(
    ("one", "other", "is_met"),
    [
        ("reports/**", "reports/x.md", True),
        ("reports/*.md", "reports/2*", True),
        ("reports/", "reports", False),
        ("**/x", "a/**", True),
        ("a/**/b", "a/c", False),
        ("*a", "b*", True),
        ("a?", "?", False),
        (f"r/{scope.DIGIT}.md", "r/7.md", True),
        (f"r/{scope.DIGIT}.md", "r/x.md", False),
        (f"r/{scope.DIGIT}.md", f"r/{scope.DIGIT}*", True),
    ],
)
def test_two_globs_meet_where_a_path_is_allowed_by_both(one, other, is_met):
    assert scope.meet(one, other) is is_met
    assert scope.meet(other, one) is is_met


def paths_of(names, count_max):
    """Return every path of up to so many of these names."""
    counts = range(1, count_max + 1)
    return ["/".join(path) for count in counts for path in product(names, repeat=count)]


def globs_of(names, count_max):
    return st.lists(names, min_size=1, max_size=count_max).map("/".join)


# What two such globs have in common is, where there is anything, among these paths.
LETTERS = st.text(alphabet="ab*?", min_size=1, max_size=2)
WITH_NAMES = (globs_of(LETTERS, 2), paths_of(["a", "b", "aa", "ab", "ba", "bb"], 2))
WITH_DIRECTORIES = (globs_of(st.sampled_from(["a", "b", "*", "**"]), 3), paths_of("ab", 6))


@pytest.mark.parametrize(("globs", "paths"), [WITH_NAMES, WITH_DIRECTORIES])
@given(st.data())
def test_globs_meet_exactly_where_some_short_path_is_allowed_by_both(globs, paths, data):
    one, other = data.draw(globs), data.draw(globs)
    both = any(scope.matches([one], path) and scope.matches([other], path) for path in paths)
    assert scope.meet(one, other) is both
