from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from comparison.compared import verdicts, write_session
from support.results import make_result

from lve.comparison.baseline import (
    MAX_REPEATS,
    BaselineSide,
    baseline_of,
    read_baseline,
)
from lve.comparison.compare import compare
from lve.comparison.session_side import SessionSide
from lve.documents.validation.schema import load_schema
from lve.errors import UsageError
from lve.extensions.comparing.verbs.baseline import write_baseline
from lve.sessions.instance_result import InstanceResult

SUMS = {"tests": {"t": {"document": "0" * 64, "checks": "1" * 64}}}


def session(state: Path, results: list[InstanceResult], **info: Any) -> SessionSide:
    return SessionSide(write_session(state, results, **info), warn=print)


def saved(file: Path, side: SessionSide) -> BaselineSide:
    content = baseline_of(side).content
    write_baseline(file, content)
    jsonschema.validate(json.loads(file.read_text()), load_schema("baseline"))
    return read_baseline(file)


def test_a_baseline_has_the_verdicts_of_its_session(tmp_path: Path) -> None:
    side = session(tmp_path, [*verdicts("PF PE"), *verdicts("F", "u")], **SUMS)
    found = saved(tmp_path / "b.json", side)
    assert sorted(row[:7] for row in found.rows()) == sorted(row[:7] for row in side.rows())
    assert found.facts.sums["t"] == SUMS["tests"]["t"]
    assert found.facts.models == side.facts.models


def test_a_session_compared_with_its_own_baseline_has_no_flips(tmp_path: Path) -> None:
    side = session(tmp_path, verdicts("PFPPFE"), **SUMS)
    found = compare(saved(tmp_path / "b.json", side), side)
    assert (found.broken, found.fixed) == (0, 0)
    assert found.tests[0].new == found.tests[0].gone == 0


def test_flips_against_a_baseline_have_the_answer_of_now(tmp_path: Path) -> None:
    old = saved(tmp_path / "b.json", session(tmp_path, verdicts("PP"), **SUMS))
    now = {"tests": {"t": {**SUMS["tests"]["t"], "document": "2" * 64, "checks": "3" * 64}}}
    found = compare(old, session(tmp_path, verdicts("FP"), day=2, **now))
    (flip,) = found.flips
    before, after = found.results_of(flip)
    assert before is None
    assert after is not None
    assert (flip.line, [str(one) for one in flip.causes]) == (1, ["checker"])


def test_a_baseline_is_sorted_and_the_same_whatever_the_order_of_the_results(
    tmp_path: Path,
) -> None:
    results = [*verdicts("PFPFPFPFPFPF", "b"), *verdicts("P", "a")]
    one = baseline_of(session(tmp_path, results)).content["tests"]
    other = baseline_of(session(tmp_path, results[::-1], day=2)).content["tests"]
    assert json.dumps(one) == json.dumps(other)
    assert list(one) == ["a", "b"]
    places = list(one["b"]["models"]["openai/m"])
    assert [int(place.split()[0].rpartition(":")[2]) for place in places] == [*range(1, 13)]


def test_an_update_replaces_what_the_session_has_and_keeps_the_rest(tmp_path: Path) -> None:
    old = saved(
        tmp_path / "b.json", session(tmp_path, [*verdicts("PP", "a"), *verdicts("PP", "b")])
    )
    content = baseline_of(session(tmp_path, verdicts("F", "b"), day=2), older=old.content).content
    assert content["tests"]["a"] == old.content["tests"]["a"]
    assert list(content["tests"]["b"]["models"]["openai/m"].values()) == ["F"]


def test_verdicts_that_stay_in_an_update_keep_what_ran_then(tmp_path: Path) -> None:
    """Otherwise a flip of theirs is put down to what only others have gone through."""
    both = [*verdicts("PP", "a"), *verdicts("PP", "b"), *verdicts("PP", "b", model="openai/n")]
    hot: dict[str, Any] = {"options": {"model_args": {"temperature": 1}}}
    old = saved(tmp_path / "b.json", session(tmp_path, both, tests=parts("1")))
    newer = session(tmp_path, verdicts("PP", "b"), day=2, tests=parts("2"), **hot)
    content = baseline_of(newer, older=old.content).content
    again = baseline_of(newer, older=content).content
    assert again == content
    write_baseline(tmp_path / "b.json", content)
    jsonschema.validate(content, load_schema("baseline"))
    now = [*verdicts("FF", "a"), *verdicts("FF", "b"), *verdicts("FF", "b", model="openai/n")]
    last = session(tmp_path, now, day=3, tests=parts("2"), **hot)
    found = compare(read_baseline(tmp_path / "b.json"), last)
    assert {
        (one.test, one.model_now): [cause.name for cause in one.causes] for one in found.flips
    } == {
        ("a", "openai/m"): ["model args", "checker"],
        ("b", "openai/m"): ["unknown"],
        ("b", "openai/n"): ["model args", "checker"],
    }
    everything = baseline_of(last, older=content).content
    assert not any("earlier" in one for one in everything["tests"].values())


def parts(digit: str) -> dict[str, dict[str, str]]:
    return {test: {"document": digit * 64, "checks": digit * 64} for test in ("a", "b")}


def test_a_repeat_that_is_missing_is_none(tmp_path: Path) -> None:
    results = [one for one in verdicts("PFP PPP") if one.repeat != 1 or one.line != 1]
    found = saved(tmp_path / "b.json", session(tmp_path, results))
    letters = found.content["tests"]["t"]["models"]["openai/m"].values()
    assert list(letters) == ["P-P", "PPP"]
    assert len(list(found.rows())) == 5


def test_as_many_repeats_as_are_kept_can_be_read(tmp_path: Path) -> None:
    """Recorded answers to one prompt are repeats, each on a line of its own."""
    results = [
        make_result(test="t", line=number + 1, repeat=number, verdict="passed")
        for number in range(MAX_REPEATS + 1)
    ]
    side = session(tmp_path, results)
    assert baseline_of(side).left_out == 1
    again = saved(tmp_path / "b.json", side)
    assert len(list(again.rows())) == MAX_REPEATS


def test_a_repeat_beyond_all_bounds_is_left_out(tmp_path: Path) -> None:
    """A forged journal may say that an instance ran a billion times."""
    forged = verdicts("P")
    forged[0].repeat = 10**8
    kept = baseline_of(session(tmp_path, [*verdicts("PP"), *forged]))
    assert kept.left_out == 1
    assert list(kept.content["tests"]["t"]["models"]["openai/m"].values()) == ["P", "P"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no baseline: it isn't valid JSON"),
        ("{", "no baseline: it isn't valid JSON"),
        ("\xff", "no baseline: it isn't valid JSON"),
        ("[]", "no baseline"),
        ('{"version": 1}', "no baseline"),
        ('{"version": 2}', "has format 2 and this lve reads 1"),
        ('{"version": 1e999}', "no baseline"),
    ],
)
def test_what_is_no_baseline_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "b.json"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match=message) as error:
        read_baseline(file)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "place",
    [
        "x.jsonl 0123456789abcdef",
        "x:0 0123456789abcdef",
        "x:1 zz",
        "x:١ 0123456789abcdef",
        "x:1 8123456789abcdef",  # more than the 63 bits of a sum
    ],
)
def test_a_place_that_is_none_is_refused(tmp_path: Path, place: str) -> None:
    file = tmp_path / "b.json"
    content = dict(baseline_of(session(tmp_path, verdicts("P"))).content)
    content["tests"] = {"t": {"sums": {}, "models": {"m": {place: "P"}}}}
    file.write_text(json.dumps(content))
    with pytest.raises(UsageError, match="no baseline"):
        read_baseline(file)


def test_a_missing_baseline_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lve compare --save"):
        read_baseline(tmp_path / "none.json")


def test_a_baseline_that_can_not_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="can't be written"):
        write_baseline(tmp_path / "file" / "b.json", {})
