"""What `test_written_again.py` asks, of the files beside results: calibrations, labels, the parts
of a session that several processes run, and the log of batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.calibration.labels import judged_labels
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions.odd_values import (
    DIGITS,
    QUOTES,
    SECRETS,
    a_folder,
    knows,
    odd,
    odd_texts,
    odd_values,
    redactors,
)
from support.examples import examples
from support.folders import workspace
from support.results import make_result

from lve.errors import UsageError
from lve.extensions.batch.log import BatchLog
from lve.extensions.calibration.labels import read_labels
from lve.extensions.calibration.measure import calibration_content, measure
from lve.extensions.calibration.record import Binding, read_calibrations, write_calibration
from lve.extensions.view.label_file import read_session_labels, write_label
from lve.pipeline.merging import merge_parts
from lve.secrets.redaction import Redactor
from lve.sessions.session_folder import SessionFolder
from lve.sessions.worker_parts import journal_of_part, write_part
from lve.spec.settings_file import load_workspace
from lve.spec.spec import Expectation
from lve.verdicts.description import part_of
from lve.verdicts.summary import Summary

SUM = "ab" * 32
names = odd_texts.filter(bool)


@settings(max_examples=examples(100), deadline=None)
@given(names, names, st.dictionaries(odd_texts, odd_values, max_size=3), st.lists(odd_texts))
def test_every_calibration_is_read_again_or_not_written(
    test: str, judge: str, args: dict[str, Any], served: list[str]
) -> None:
    with a_folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOME_API_KEY", DIGITS)
        patch.setenv("OTHER_API_KEY", QUOTES)
        place = load_workspace(workspace(folder))
        content = calibration_content(
            measure(judged_labels(8, 1, 1, 8, author=judge[:200])),
            Binding(test, "judge", SUM, judge, "1.0"),
            args,
            labels_sum=SUM,
            day="2026-11-22",
        )
        content["judge"]["served"] = served[:20]
        warnings: list[str] = []
        try:
            write_calibration(place, content)
        except UsageError:
            assert read_calibrations(place, warnings.append) == ()
        else:
            (found,) = read_calibrations(place, warnings.append)
            assert found.binding.judge == SECRETS(judge).encode("utf-8", "replace").decode()
        assert warnings == []


PLACE = {"test": "t", "model": "m", "source": "instances/x.jsonl", "line": 1, "label": "right"}
long_texts = odd_texts | st.sampled_from([DIGITS * 16, DIGITS * 833, "\ud800" * 10_000])
labels = st.fixed_dictionaries(
    {
        "label": st.just("right"),
        "line": st.integers(1, 10) | st.sampled_from([int(DIGITS), 2**64, 10**400]),
        "test": odd_texts,
        "model": odd_texts,
        "source": names,
    },
    optional={"author": names, "comment": long_texts, "check": names},
)


@settings(max_examples=examples(200), deadline=None)
@given(labels, redactors)
def test_every_label_is_read_again_or_not_written(label: dict[str, Any], redact: Redactor) -> None:
    with a_folder() as folder, knows(redact):
        write_label(folder, {**PLACE, "line": 99})
        try:
            write_label(folder, label)
        except UsageError:
            assert [one["line"] for one in read_session_labels(folder)] == [99]
        else:
            first, last = read_session_labels(folder)
            assert (first["line"], last["label"]) == (99, "right")
            assert last.get("comment", "") == redact(label.get("comment") or "")
        assert len(read_labels(folder / "labels.jsonl")) in (1, 2)
        lines = (folder / "labels.jsonl").read_text(encoding="ascii")
        assert redact(lines) == lines


def test_labels_that_are_too_many_bytes_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.extensions.view.label_file.WHOLE_BYTES", 2_000)
    write_label(tmp_path, {**PLACE, "comment": "x" * 1_000})
    with pytest.raises(UsageError, match=r"more than 2,000 bytes"):
        write_label(tmp_path, {**PLACE, "line": 2, "comment": "x" * 1_000})
    assert [one["line"] for one in read_session_labels(tmp_path)] == [1]
    write_label(tmp_path, {**PLACE, "comment": "y" * 1_000})
    assert [one["comment"][0] for one in read_session_labels(tmp_path)] == ["y"]


sent = st.dictionaries(
    names, st.fixed_dictionaries({}, optional={"left_out": st.lists(odd_texts, max_size=2)})
)


@settings(max_examples=examples(100), deadline=None)
@given(names, names, st.lists(odd_texts, max_size=2), sent, st.booleans(), odd, redactors)
def test_every_part_of_a_session_is_read_again(
    test: str, model: str, paths: list[str], sent: Any, sequential: bool, reason: Any, redact: Any
) -> None:
    with a_folder() as place, knows(redact):
        folder = SessionFolder.create(place, {"options": {}})
        for name in ("gw0", "gw1"):
            journal = journal_of_part(folder, name)
            result = make_result(test=test, model=model, line=int(name[2]) + 1, reason=reason)
            journal.append(result, lambda: "sum")
            journal.close()
            summary = Summary()
            summary.expect(test, model, Expectation("rate", threshold=0.5), sequential=sequential)
            known = {
                "status": "complete",
                "tests": {test: {"document": SUM}}, "models": [model], "paths": paths,
                "spent": {"cost": 0.1}, "spent_unrecorded": {}, "sent": sent,
            }  # fmt: skip
            write_part(folder, name, part_of(summary, known))
        merged = merge_parts(folder, is_interrupted=False)
        info = folder.info()
        assert info["status"] == "complete"
        assert info["models"] == [redact(model)]
        assert info["tests"] == {redact(test): {"document": SUM}}
        assert len(list(folder.results())) == 2
        assert (redact(test), redact(model)) in merged.tallies
        written = "".join(file.read_text() for file in folder.path.iterdir())
        assert redact(written) == written


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(odd_texts, odd_texts, st.integers(0, 3)), max_size=4), redactors)
def test_every_line_of_the_log_of_batches_is_read_again(
    batches: list[tuple[str, str, int]], redact: Redactor
) -> None:
    """The id is the server's: a line with one that is none is as if it hadn't been written."""
    with a_folder() as folder, knows(redact):
        log = BatchLog(folder)
        for number, (model, batch, count) in enumerate(batches):
            log.begin(f"{number:032x}", model, [f"{number:032x}-{one}" for one in range(count)])
            log.submitted(f"{number:032x}", batch)
        log.begin("f" * 32, "last", [])
        log.submitted("f" * 32, "batch_1")
        log.close()
        again = BatchLog(folder)
        again.close()
        assert [(one.model, len(one.names)) for one in again.earlier] == [
            *((redact(model), count) for model, _, count in batches),
            ("last", 0),
        ]
        assert again.earlier[-1].id == "batch_1"
        lines = (folder / "batches.jsonl").read_text(encoding="ascii")
        assert redact(lines) == lines
