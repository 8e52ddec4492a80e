"""The journal: which results it keeps, their order, and what it survives."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.results import make_result, make_transcript, results

from lve.documents.validation.schema import load_schema
from lve.errors import SessionError
from lve.secrets.redaction import lasting_redactor
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import Journal
from lve.sessions.journal.reading import read_journal

SCHEMA = jsonschema.Draft202012Validator(load_schema("result"))


def write(path: Path, *written: InstanceResult) -> None:
    journal = Journal(path)
    for result in written:
        journal.append(result)
    journal.close()


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(results, max_size=3, unique_by=lambda result: result.id))
def test_results_come_back_as_they_were(written: list[InstanceResult]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        write(path, *written)
        assert list(read_journal(path)) == written
        lines = path.read_text(encoding="ascii").splitlines()
    assert len(lines) == len(written)
    for line in lines:
        SCHEMA.validate(json.loads(line))


def test_a_paid_result_is_in_the_file_when_append_returns(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    journal = Journal(path)
    for number in range(1, 20):
        journal.append(make_result(line=number))
        assert path.read_bytes().count(b"\n") == number
    journal.close()


def test_results_that_are_held_back_are_written_together(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    journal = Journal(path)
    journal.hold(True)
    journal.append(make_result(line=1))
    journal.append(make_result(line=2))
    assert path.read_bytes() == b""
    journal.hold(False)
    assert path.read_bytes().count(b"\n") == 2
    journal.append(make_result(line=3))
    assert path.read_bytes().count(b"\n") == 3
    journal.close()


def test_results_from_the_cache_are_written_in_blocks_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    journal = Journal(path)
    journal.append(make_result(line=1, cached=True))
    assert path.read_bytes() == b""
    journal.append(make_result(line=2))
    journal.append(make_result(line=3, cached=True))
    journal.close()
    assert [result.line for result in read_journal(path)] == [1, 2, 3]


def test_a_result_that_ran_again_comes_out_once_whatever_the_order_of_its_fields(
    tmp_path: Path,
) -> None:
    path = tmp_path / "results.jsonl"
    test = 'quote " and \\ \u2028'
    write(path, make_result(test=test, line=1), make_result(test=test, line=2, verdict="error"))
    write(path, make_result(test=test, line=2, verdict="passed"))
    first, second, again = path.read_text().splitlines()
    sorted_fields = json.dumps(json.loads(again), sort_keys=True)
    path.write_text("\n".join([first, second, sorted_fields]) + "\n")
    found = [(result.line, result.verdict) for result in read_journal(path)]
    assert found == [(1, make_result().verdict), (2, "passed")]


@pytest.mark.parametrize("torn", [b'{"version":1,"te', b"{}", b"\xff\xfe", b'{"version":1}'])
def test_a_torn_last_line_is_cut_off_and_appending_goes_on(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(line=1), make_result(line=2))
    with path.open("ab") as file:
        file.write(torn)
    assert [result.line for result in read_journal(path)] == [1, 2]
    write(path, make_result(line=3))
    assert [result.line for result in read_journal(path)] == [1, 2, 3]
    assert path.read_bytes().count(b"\n") == 3


def test_a_long_journal_without_damage_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result())
    monkeypatch.setattr("lve.sessions.journal.journal.MAX_DAMAGE_BYTES", path.stat().st_size // 2)
    write(path, make_result(repeat=1))
    assert [result.repeat for result in read_journal(path)] == [0, 1]


def test_every_cut_of_the_file_keeps_all_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, *(make_result(line=number) for number in range(1, 4)))
    content = path.read_bytes()
    for cut in range(0, len(content), 7):
        path.write_bytes(content[:cut])
        whole = content[:cut].count(b"\n")
        write(path, make_result(line=9))
        assert [result.line for result in read_journal(path)] == [*range(1, whole + 1), 9]


def test_a_torn_line_longer_than_a_block_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(line=1))
    with path.open("ab") as file:
        file.write(b"x" * 200_000)
    write(path, make_result(line=2))
    assert [result.line for result in read_journal(path)] == [1, 2]


def test_a_damaged_line_in_the_middle_is_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(line=1))
    with path.open("ab") as file:
        file.write(b"\0\0\0\0\n[1]\n")
    write(path, make_result(line=2))
    warnings: list[str] = []
    assert [result.line for result in read_journal(path, warn=warnings.append)] == [1, 2]
    assert f"{path}:2: 2 damaged lines, of which this is the first, are left out" in warnings[0]


@pytest.mark.parametrize("score", ['"nan"', '"inf"', "NaN", "-Infinity", "1e999"])
def test_a_score_that_an_older_lve_wrote_is_a_damaged_line_with_its_place(
    score: str, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(line=1), make_result(line=2, score=0.5), make_result(line=3))
    path.write_text(path.read_text().replace('"score":0.5', f'"score":{score}'))
    warnings: list[str] = []
    assert [result.line for result in read_journal(path, warn=warnings.append)] == [1, 3]
    assert warnings[0].startswith(f"{path}:2: 1 damaged line is left out")


def test_a_transcript_without_messages_is_a_damaged_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(line=1), make_result(line=2))
    first, second = path.read_text(encoding="ascii").splitlines()
    nothing = {"messages": [], "filled": [], "completions": []}
    forged = json.dumps({**json.loads(first), "transcripts": [nothing]}, separators=(",", ":"))
    path.write_text(f"{forged}\n{second}\n", encoding="ascii")
    warned: list[str] = []
    assert [result.line for result in read_journal(path, warn=warned.append)] == [2]
    assert len(warned) == 1


def test_the_last_result_of_an_instance_counts(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(line=1, verdict="error"), make_result(line=2))
    write(path, make_result(line=1, verdict="passed"), make_result(line=3))
    found = [(result.line, result.verdict) for result in read_journal(path)]
    assert found == [(2, "passed"), (1, "passed"), (3, "passed")]


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    assert list(read_journal(tmp_path / "results.jsonl")) == []


def test_two_processes_cannot_write_one_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "results.jsonl")
    with pytest.raises(SessionError, match="run by another process"):
        Journal(tmp_path / "results.jsonl")
    journal.close()
    Journal(tmp_path / "results.jsonl").close()


def test_a_missing_folder_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="can't be written"):
        Journal(tmp_path / "gone" / "results.jsonl")


def test_secrets_are_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    secret = 'sk-"quoted"\\-ñ-123456'
    journal = Journal(path)
    lasting_redactor([secret])  # it is learnt after the journal was opened
    journal.append(make_result(reason=f"key {secret} refused", args={secret: [secret]}))
    journal.close()
    content = path.read_text()
    assert "123456" not in content
    [result] = read_journal(path)
    assert result.reason == "key [redacted] refused"


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("data:image/png;base64," + "A" * 5000, "data:image/png;base64,sha256="),
        ("data:" + "A" * 5000, "data:" + "A" * 59 + ",sha256="),  # no kind
    ],
)
def test_an_image_in_a_prompt_is_kept_as_its_hash(tmp_path: Path, url: str, kept: str) -> None:
    path = tmp_path / "results.jsonl"
    transcript = make_transcript()
    message = replace(transcript.messages[0], image_url=url)
    big = replace(transcript, messages=(message, transcript.messages[1]))
    write(path, make_result(transcripts=(big,)))
    assert path.stat().st_size < 2000
    [result] = read_journal(path)
    image = result.transcripts[0].messages[0].image_url or ""
    assert image.startswith(kept)


def test_numbers_that_json_lacks_become_text(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(args={"a": float("nan"), "b": [float("inf")], 3: {1, 2}}))
    [result] = read_journal(path)
    assert result.args == {"a": "nan", "b": ["inf"], "3": [1, 2]}


WRITER = """
    import resource, sys
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    from support.results import make_result
    from lve.errors import SessionError
    from lve.sessions.journal.journal import Journal

    limit = int(sys.argv[1])
    if limit:
        sys.dont_write_bytecode = True  # Python would keep half of a compiled module
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    journal = Journal(Path({path!r}))
    number = int(sys.argv[2])
    while True:
        try:
            journal.append(make_result(line=number))
        except SessionError as error:
            print(error)
            sys.exit(3)
        sys.stdout.write(f"{{number}}\\n")
        sys.stdout.flush()
        number += 1
"""


def start_writer(path: Path, *, limit: int, first: int) -> subprocess.Popen[bytes]:
    tests = str(Path(__file__).parents[2])
    script = textwrap.dedent(WRITER.format(tests=tests, path=str(path)))
    return subprocess.Popen(
        [sys.executable, "-c", script, str(limit), str(first)], stdout=subprocess.PIPE
    )


def test_everything_acknowledged_survives_kill_minus_nine(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    source = random.Random(5)
    acknowledged: set[int] = set()
    for life in range(4):
        process = start_writer(path, limit=0, first=1 + life * 1_000_000)
        assert process.stdout is not None
        first = b"".join(process.stdout.readline() for _ in range(3))
        time.sleep(source.uniform(0, 0.02))
        os.kill(process.pid, signal.SIGKILL)
        output = first + process.stdout.read()
        process.wait(10)
        process.stdout.close()
        acknowledged |= {int(line) for line in output.split(b"\n")[:-1]}
    write(path, make_result(line=999_999))
    found = {result.line for result in read_journal(path, warn=pytest.fail)}
    assert acknowledged < found
    assert len(acknowledged) > 4


@pytest.mark.skipif(sys.platform == "win32", reason="no RLIMIT_FSIZE")
def test_a_full_disk_is_a_clear_error_and_tears_no_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    output, _ = start_writer(path, limit=20_000, first=1).communicate(timeout=30)
    *numbers, message = output.decode().strip().split("\n")
    assert "can't be written" in message
    assert "--resume" in message
    assert [result.line for result in read_journal(path)] == [int(number) for number in numbers]
    assert path.read_bytes().endswith(b"\n")


def test_a_last_sync_that_fails_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    journal = Journal(tmp_path / "results.jsonl")
    monkeypatch.setattr("lve.sessions.journal.journal.os.fsync", full)
    journal.append(make_result())
    with pytest.raises(SessionError, match="No space left"):
        journal.close()


@pytest.mark.parametrize(
    "wrong", [{"verdict": "great"}, {"line": 0}, {"cost": -1}, {"usage": {}}, {"reason": None}]
)
def test_a_line_with_a_value_that_no_result_has_counts_for_nothing(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    path = tmp_path / "results.jsonl"
    journal = Journal(path)
    journal.append(make_result(line=1))
    journal.append(make_result(line=2))
    journal.close()
    first, second = path.read_text().splitlines()
    path.write_text(json.dumps(json.loads(first) | wrong) + "\n" + second + "\n")
    warnings: list[str] = []
    assert [result.line for result in read_journal(path, warn=warnings.append)] == [2]
    assert "1 damaged line is left out" in warnings[0]


def test_instances_that_stood_at_one_place_in_turn_are_reported_apart(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "results.jsonl")
    for value, reason in (("a", "old"), ("b", "moved here"), ("a", "new")):
        journal.append(make_result(args={"name": value}, reason=reason))
    journal.close()
    found = [result.reason for result in read_journal(tmp_path / "results.jsonl")]
    assert found == ["moved here", "new"]


def test_an_instance_whose_secrets_were_hidden_at_one_time_only_counts_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "results.jsonl")
    for args, reason in (
        ({"key": "a [redacted], b [redacted]"}, "hidden"),
        ({"key": "a 12, c"}, "another"),
        ({"key": "a 12, b 34"}, "whole"),
        ({"key": "a 12, b [redacted]"}, "partly hidden"),
    ):
        journal.append(make_result(args=args, reason=reason))
    journal.close()
    found = [result.reason for result in read_journal(tmp_path / "results.jsonl")]
    assert found == ["another", "partly hidden"]


def test_a_line_that_ends_where_a_block_begins_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(line=1))
    monkeypatch.setattr("lve.sessions.journal.journal.BLOCK_BYTES", 8)
    with path.open("ab") as file:
        file.write(b"x" * 7)
    write(path, make_result(line=2))
    assert [result.line for result in read_journal(path)] == [1, 2]
