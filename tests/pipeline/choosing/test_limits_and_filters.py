"""Tests and instances that the user picks: which, at every door, and the same each time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest
from support.command_line import call
from support.command_line import lve as command_line
from support.folders import workspace, write_sums, write_test
from support.run_command import document

import lve
from lve.data.instances import iter_instances
from lve.errors import Problem, UsageError
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.limits_and_filters import choose, is_chosen
from lve.pipeline.row_totals import estimate_total
from lve.sessions.session_folder import SessionFolder
from lve.settings.settings import Caps, Settings
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec

NAMES = ["Ana", "Bea", "Ana María", "Carl"]


def write_people(folder: Path, **more: Any) -> Path:
    """Write a test with a recorded answer for each of some people."""
    rows = [{"args": {"name": name, "age": 20}, "response": "Hello"} for name in NAMES]
    prompt = [{"content": "Greet {name}, {age}."}]
    keys = {"prompt": prompt, "prompt_parameters": ["name", "age"], **more}
    return write_test(folder, instances=rows, **keys)


def tags(**values: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]


@pytest.fixture
def tree(root: Path) -> Path:
    """A workspace with a test of people, one of sums, one without parameters, and a bad one."""
    write_people(root / "privacy" / "people", tags=tags(severity="high", jailbreak="no"))
    write_sums(root / "math" / "sums", 5, tags=tags(severity="low"))
    write_test(root / "math" / "plain")
    return root


def names(folder: Path, settings: Settings | None = None, **options: Any) -> list[Any]:
    found = select_instances(load_spec(folder), RunOptions(**options), settings or Settings())
    return [one.args["name"] for one in found if isinstance(one, Instance)]


@pytest.mark.parametrize(
    "data",
    [
        {"matrix": {"name": ["Ana", "Bea"], "age": [2, 3]}},
        {"dataset": [{"name": n, "age": a} for n in ("Ana", "Bea") for a in (2, 3)]},
    ],
    ids=["matrix", "dataset"],
)
def test_columns_that_nothing_declares_are_words_too(data: dict[str, Any], root: Path) -> None:
    """A test with data needs no `prompt_parameters`, and is chosen by its data all the same."""
    write_test(root / "t", prompt=[{"content": "Greet {name}, {age}."}], **data)
    for expression, count in {
        "age=3": 2,
        "age=3 and ana": 1,
        "age=4": 0,
        "t and not bea": 2,
    }.items():
        shown = call("list", ".", "-k", expression)[1] if count else ""
        assert [line.split()[1] for line in shown.splitlines()] == ([str(count)] if count else [])
        assert is_chosen(load_spec(root / "t"), RunOptions(match=expression)) is (count > 0)


def test_a_column_that_nothing_declares_cant_be_set(root: Path) -> None:
    write_test(root / "t", prompt=[{"content": "{a}"}], matrix={"a": [1]})
    with pytest.raises(UsageError, match="once `prompt_parameters` names them"):
        call("run", "t", "-p", "a=2")


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ({"rows": "2-3"}, ["Bea", "Ana María"]),
        ({"rows": "4,1"}, ["Ana", "Carl"]),
        ({"rows": "9"}, []),
        ({"match": "ana"}, ["Ana", "Ana María"]),
        ({"match": "name=ana and not maría"}, ["Ana"]),
        ({"match": "'ana maría' or name=c"}, ["Ana María", "Carl"]),
        ({"match": "age=20"}, NAMES),
        ({"match": "people"}, NAMES),
        ({"match": "people and carl"}, ["Carl"]),
        ({"match": "ana", "limit": 1}, ["Ana"]),
        ({"match": "ana", "rows": "2-"}, ["Ana María"]),
        ({"match": "dora", "parameters": {"name": "Dora"}}, ["Dora"] * 4),
        ({"rows": "1-2", "parameters": {"name": "Dora"}}, ["Dora"] * 2),
        ({"index": 1, "parameters": {"name": "Dora"}}, ["Dora"]),
    ],
)
def test_instances_by_number_and_words(
    tmp_path: Path, options: dict[str, Any], chosen: list[str]
) -> None:
    folder = write_people(workspace(tmp_path) / "people")
    assert names(folder, **options) == chosen
    total = estimate_total([(load_spec(folder), "m")], RunOptions(**options), Settings())
    assert total == (len(chosen) or 0)


def test_nothing_is_read_behind_the_last_row(tmp_path: Path) -> None:
    folder = write_people(workspace(tmp_path) / "people")
    file = folder / "instances" / "main.jsonl"
    file.write_text(file.read_text() + "broken\n")
    found = select_instances(load_spec(folder), RunOptions(rows="2-4"), Settings())
    assert [isinstance(one, Instance) for one in found] == [True] * 3


def lines(spec: Spec, **options: Any) -> list[int]:
    found = select_instances(spec, RunOptions(**options), Settings())
    return [one.line for one in found if isinstance(one, Instance)]


def test_a_sample_is_the_same_wherever_its_rows_stand(tmp_path: Path) -> None:
    folder = write_sums(workspace(tmp_path) / "sums", 50)
    file = folder / "instances" / "main.jsonl"

    def drawn(**options: Any) -> list[str]:
        found = select_instances(load_spec(folder), RunOptions(**options), Settings())
        return [str(one.args["a"]) for one in found if isinstance(one, Instance)]

    first, other = drawn(sample=10), drawn(sample=10, seed=1)
    assert len(set(first)) == len(set(other)) == 10
    assert first != other
    assert first == sorted(first, key=int), "they come in the order of the file"
    rows = file.read_text().splitlines()
    Random(3).shuffle(rows)
    file.write_text("\n".join(rows[:20]))
    (folder / "instances" / "another.jsonl").write_text("\n".join(rows[20:]))
    assert sorted(drawn(sample=10)) == sorted(first)
    assert sorted(drawn(sample=10, seed=1)) == sorted(other)
    assert set(drawn(sample=5)) < set(first), "a smaller sample is part of a larger one"
    assert len(drawn(sample=10, limit=3)) == 3


def test_a_sample_is_the_same_on_every_machine(tmp_path: Path) -> None:
    spec = load_spec(write_sums(workspace(tmp_path) / "sums", 50))
    assert lines(spec, sample=5) == [17, 27, 30, 39, 44]


def test_a_sample_larger_than_the_test_is_all_of_it(tmp_path: Path) -> None:
    spec = load_spec(write_sums(workspace(tmp_path) / "sums", 4))
    assert lines(spec, sample=9) == [1, 2, 3, 4]


def test_rows_that_are_the_same_may_all_be_drawn(tmp_path: Path) -> None:
    folder = write_sums(workspace(tmp_path) / "sums", 1)
    file = folder / "instances" / "main.jsonl"
    file.write_text(json.dumps({"args": {"a": 1, "b": 1}}) + "\n")
    file.write_text(file.read_text() * 5)
    assert lines(load_spec(folder), sample=3) == [1, 2, 3]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"rows": "2"}, [2, 5, 6]),
        ({"rows": "1,3-"}, [1, 3, 4, 7]),
        ({"limit": 1}, [1, 4]),
        ({"limit": 2}, [1, 2, 4, 5, 6]),
        ({"index": 1}, [2, 5, 6]),
        ({"sample": 9}, [1, 2, 3, 4, 5, 6, 7]),
        ({}, [1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_a_row_is_chosen_with_all_its_recorded_answers(
    tmp_path: Path, options: dict[str, Any], expected: list[int]
) -> None:
    folder = write_sums(workspace(tmp_path) / "sums", 3)
    file = folder / "instances" / "main.jsonl"
    first, second, third = file.read_text().splitlines()
    file.write_text("\n".join((first, second, third, first, second, second, '{"args": {"a": 9}}')))
    assert lines(load_spec(folder), **options) == expected


def test_a_sample_has_whole_rows(tmp_path: Path) -> None:
    folder = write_sums(workspace(tmp_path) / "sums", 20)
    file = folder / "instances" / "main.jsonl"
    file.write_text(file.read_text() * 2)
    drawn = lines(load_spec(folder), sample=4)
    assert len(drawn) == 8
    assert [line - 20 for line in drawn[4:]] == drawn[:4]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"rows": "1-4"}, 0),
        ({"rows": "1-3"}, 0),
        ({"rows": "2-"}, 1),
        ({"rows": "1-5"}, 1),
        ({"sample": 2}, 1),
        ({"match": "carl"}, 0),
        ({"match": "carl", "limit": 1}, 0),
    ],
)
def test_a_cap_that_may_leave_chosen_ones_out_is_told(
    tmp_path: Path, options: dict[str, Any], told: int
) -> None:
    folder = write_people(workspace(tmp_path) / "people")
    file = folder / "instances" / "main.jsonl"
    cap = 4
    if "match" not in options:
        file.write_text(file.read_text() * 2)
    warnings: list[str] = []
    settings = Settings(caps=Caps(rows=cap))
    found = [
        *select_instances(load_spec(folder), RunOptions(**options), settings, warn=warnings.append)
    ]
    assert found
    assert len(warnings) == told


@pytest.mark.parametrize(
    ("wanted", "is_wanted"),
    [
        (("severity",), True),
        (("severity=high",), True),
        (("severity=low",), False),
        (("severity=low", "severity=high"), True),
        (("severity=high", "jailbreak=no"), True),
        (("severity=high", "jailbreak=yes"), False),
        (("severity=high", "paper"), False),
        (("severity=",), False),
    ],
)
def test_tests_by_tag(tmp_path: Path, wanted: tuple[str, ...], is_wanted: bool) -> None:
    folder = write_people(workspace(tmp_path) / "t", tags=tags(severity="high", jailbreak="no"))
    assert is_chosen(load_spec(folder), RunOptions(tags=wanted)) is is_wanted


def ran(*arguments: str) -> dict[str, int]:
    """Return test -> the number of instances that ran."""
    found = document(command_line("run", *arguments, "-m", "replay", "--json"))
    return {test["path"]: len(test["instances"]) for test in found["tests"]}


def listed(*arguments: str) -> dict[str, int]:
    found = json.loads(command_line("list", *arguments, "--json", code=None).stdout)
    return {test["path"]: test["instances"] for test in found["tests"]}


def checked(*arguments: str) -> list[str]:
    found = json.loads(command_line("check", *arguments, "--json", code=None).stdout)
    return [Path(test["path"]).parent.as_posix() for test in found["tests"]]


def code(*arguments: str) -> int:
    """Return the exit code, whichever way the verb gives it."""
    try:
        return call(*arguments)[0]
    except click.ClickException as error:
        return error.exit_code


CHOICES: list[tuple[list[str], dict[str, int]]] = [
    (["-k", "privacy"], {"privacy/people": 4}),
    (["-k", "math and not plain"], {"math/sums": 5}),
    (["-k", "ana"], {"privacy/people": 2}),
    (["-k", "a=3 or carl"], {"math/sums": 1, "privacy/people": 1}),
    (["--tag", "severity"], {"math/sums": 5, "privacy/people": 4}),
    (["--tag", "severity=low"], {"math/sums": 5}),
    (["--tag", "severity", "--rows", "2-3"], {"math/sums": 2, "privacy/people": 2}),
    (["--tag", "severity", "--sample", "3"], {"math/sums": 3, "privacy/people": 3}),
    (["--tag", "severity=high", "-k", "math"], {}),
]


@pytest.mark.parametrize(("arguments", "chosen"), CHOICES)
@pytest.mark.usefixtures("tree")
def test_the_verbs_choose_alike(arguments: list[str], chosen: dict[str, int]) -> None:
    assert listed(*arguments) == chosen
    assert checked(*arguments) == list(chosen)
    if chosen:
        assert ran(*arguments) == chosen
    for verb in ("run", "list", "check"):
        assert (code(verb, *arguments) == 5) is (not chosen)


@pytest.mark.parametrize("verb", ["run", "list", "check"])
@pytest.mark.usefixtures("tree")
def test_nothing_chosen_says_what_chose(verb: str) -> None:
    assert code(verb, "-k", "poetry", "--tag", "severity") == 5
    result = command_line(verb, "-k", "poetry", "--tag", "severity", code=5)
    told = "no test in this folder matches -k and --tag"
    assert told in result.stderr
    assert result.stderr.endswith("[nothing_selected]\n") or verb == "run"


@pytest.mark.parametrize(("arguments", "chosen"), CHOICES)
def test_pytest_chooses_alike(
    tree: Path,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    chosen: dict[str, int],
) -> None:
    monkeypatch.chdir(tree)  # or pytest looks through the folders of all tests that have run
    own = [
        f"--lve-{'match' if one == '-k' else one[2:]}" if one[0] == "-" else one
        for one in arguments
    ]
    result = pytester.runpytest(".", "--lve-replay", *own, "-p", "no:cacheprovider")
    assert result.parseoutcomes().get("passed", 0) == sum(chosen.values())


@pytest.mark.usefixtures("tree")
def test_python_chooses_alike() -> None:
    result = lve.run(".", model="replay", match="ana", tags=["severity=high"], rows="2-")
    assert [one.args["name"] for one in result.results] == ["Ana María"]
    spec = lve.load("math/sums")
    other = lve.run([spec], model="replay", match="privacy")
    assert not other.summary.tallies, "it isn't part of the session"
    with pytest.raises(UsageError, match=r"match must be an expression .* ends where"):
        lve.run(".", match="a and")
    with pytest.raises(UsageError, match=r"rows must be row numbers .* ends before"):
        lve.run(".", rows="4-2")


@pytest.mark.usefixtures("tree")
def test_a_dry_run_chooses_alike() -> None:
    result = command_line("run", "-k", "ana", "-m", "replay", "--dry-run", "--json")
    assert document(result)["calls"] == 2


def test_a_resumed_session_chooses_again(tree: Path) -> None:
    options = ["-k", "people or sums", "--tag", "severity", "--sample", "3", "--seed", "7"]
    assert code("run", "-m", "replay", *options, "--max-requests", "2") == 6
    folder = SessionFolder.find(tree / ".lve")
    assert folder.info()["options"]["match"] == "people or sums"
    assert len([*folder.results()]) == 2
    other = command_line("run", "--resume", "--sample", "4", code=2)
    assert "--sample can't change what an earlier session began with" in str(other.exception)
    command_line("run", "--resume", "--max-requests", "99")
    places = {(one.test, one.line) for one in folder.results()}
    whole = command_line("run", "-m", "replay", *options, "--json")
    path_lines = {
        (test["path"], one["line"])
        for test in document(whole)["tests"]
        for one in test["instances"]
    }
    assert places == path_lines
    assert len(places) == 6
    assert call("score", "last")[0] == 0


@pytest.mark.usefixtures("tree")
def test_a_bad_test_that_is_not_meant_is_not_reported(root: Path) -> None:
    write_test(root / "broken", unknown_key=1)
    assert code("check", "-k", "privacy") == 0
    assert code("run", "-k", "privacy", "-m", "replay") == 0
    assert code("list", "-k", "privacy") == 0
    for verb in ("check", "list", "run"):
        assert code(verb, "-k", "broken") == 2
        # Its tags can't be read, so it may be meant.
        assert code(verb, "--tag", "severity") == 2


@pytest.mark.usefixtures("tree")
def test_rows_that_no_test_has_are_told() -> None:
    result = command_line("run", "privacy", "--rows", "90-", "-m", "replay", code=5)
    assert "none of its rows is among those of --rows 90-" in result.stdout


def test_only_chosen_instances_are_checked(tree: Path) -> None:
    file = tree / "privacy" / "people" / "instances" / "main.jsonl"
    rows = file.read_text().splitlines()
    rows[2] = '{"args": {"name": "x"}}'
    file.write_text("\n".join(rows))
    assert code("check", "privacy") == 2
    assert code("check", "privacy", "--rows", "1-2,4") == 0
    assert ran("privacy", "--rows", "1-2,4") == {"privacy/people": 3}


@pytest.mark.parametrize(
    ("option", "text", "told"),
    [
        ("-k", "a b", "must be an expression such as"),
        ("--rows", "0", "rows count from 1, and '0' doesn't"),
        ("--sample", "0", "must be a whole number from 1 on, not 0"),
        ("--seed", "-1", "must be a whole number from 0 on, not -1"),
    ],
)
@pytest.mark.parametrize("verb", ["run", "list", "check"])
def test_what_cannot_choose_is_refused(verb: str, option: str, text: str, told: str) -> None:
    result = command_line(verb, option, text, code=2)
    assert told in result.stderr


@pytest.mark.parametrize("verb", ["run", "list", "check"])
def test_a_seed_without_a_sample_is_refused(
    tree: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    refused = command_line(verb, "math/plain", "--seed", "3", code=2)
    assert "--seed draws another sample" in refused.stderr
    assert "--model-arg seed=N" in refused.stderr
    command_line(verb, "math/plain", "--seed", "3", "--sample", "1")
    monkeypatch.setenv("LVE_SEED", "3")  # is for those runs that draw
    command_line(verb, "math/plain")


def test_python_refuses_a_seed_without_a_sample(tree: Path) -> None:
    with pytest.raises(UsageError, match="seed draws another sample"):
        lve.run("math/plain", seed=3)


def test_words_in_lists_are_found_as_they_are_written(tmp_path: Path) -> None:
    workspace(tmp_path)
    instances = [{"args": {"names": names}} for names in (["Zoë"], {"b": "Ödön"}, ["Ana"])]
    prompt = [{"role": "user", "content": "{names}"}]
    folder = write_test(
        tmp_path / "t", instances=instances, prompt=prompt, prompt_parameters=["names"]
    )
    spec = load_spec(folder)
    for words, count in (("zoë", 1), ("ödön or zoë", 2), ("'names=[\"ana\"'", 1)):
        options = RunOptions(match=words)
        assert is_chosen(spec, options)
        assert len(list(choose(spec, iter_instances(spec), options))) == count


@pytest.mark.parametrize("options", [{"limit": 2}, {"rows": "1-2"}])
@pytest.mark.parametrize("is_recorded", [False, True])
def test_rows_behind_the_last_one_are_read_only_for_recorded_answers(
    root: Path, options: dict[str, Any], is_recorded: bool
) -> None:
    """Other answers to the same args may stand anywhere behind."""
    if is_recorded:
        folder = write_people(root / "t")
    else:
        folder = write_test(
            root / "t", prompt_parameters=["name"], prompt=[{"content": "{name}"}], dataset="d.csv"
        )
        (folder / "d.csv").write_text("name\n" + "\n".join(NAMES) + "\n")
    spec, taken = load_spec(folder), []

    def rows() -> Iterator[Instance | Problem]:
        for found in iter_instances(spec):
            taken.append(found)
            yield found

    chosen = list(choose(spec, rows(), RunOptions(**options)))
    assert [one.args["name"] for one in chosen if isinstance(one, Instance)] == NAMES[:2]
    assert len(taken) == (len(NAMES) if is_recorded else 2)
