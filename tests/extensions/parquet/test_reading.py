"""Parquet files: normal ones, and small ones that decode to far more than they hold."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from support.forked import python

from lve.child.child_command import child_command
from lve.data.rows import iter_rows
from lve.errors import Problem, SpecError
from lve.extensions.parquet import reading

CHILD = (
    "pyarrow.parquet",
    "lve.extensions.parquet.child",
    "lve.sandbox.enter",
    "lve.sandbox.rights",
)

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True)
def _imported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing pyarrow takes nearly all the time of the processes that decode these files. In
    tests/sandbox one starts as it does for users."""

    def command(module: str, argument: float) -> list[str]:
        return [*python(*CHILD), *child_command(module, argument)[1:]]

    monkeypatch.setattr(reading, "child_command", command)


def rows(folder: Path, table: Any, **how: Any) -> list[Any]:
    """Write a table and return its rows as they are read. Statistics take longer than the rows."""
    parquet.write_table(table, folder / "rows.parquet", write_statistics=False, **how)
    found = list(iter_rows(folder / "rows.parquet", folder))
    assert not any(isinstance(row, Problem) for row in found), found
    return [row.values for row in found if not isinstance(row, Problem)]


def dictionary(values: list[str], count: int) -> Any:
    """Return a column in which the last of some values is repeated."""
    numbers = pyarrow.array([len(values) - 1] * count, pyarrow.int32())
    return pyarrow.DictionaryArray.from_arrays(numbers, pyarrow.array(values))


def test_a_text_that_is_written_once_and_meant_often_fills_no_memory(tmp_path: Path) -> None:
    table = pyarrow.table({"q": dictionary(["x" * 20_000_000], 3_000)})
    how = {"compression": "zstd", "dictionary_pagesize_limit": 10**9}
    with pytest.raises(SpecError, match=r"of memory|larger than 16 MB|too large"):
        rows(tmp_path, table, **how)
    assert (tmp_path / "rows.parquet").stat().st_size < 10_000


def test_a_row_of_many_nothings_is_refused(tmp_path: Path) -> None:
    nothings = pyarrow.ListArray.from_arrays([0, 5_000_000], pyarrow.nulls(5_000_000))
    with pytest.raises(SpecError, match="has more than 1,000,000 values"):
        rows(tmp_path, pyarrow.table({"q": nothings}))


def test_rows_of_some_megabytes_are_read(tmp_path: Path) -> None:
    texts = [str(n) * 2_000_000 for n in range(8)]
    assert [row["q"] for row in rows(tmp_path, pyarrow.table({"q": texts}))] == texts


def test_dictionaries_and_nested_values_are_read(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "hi"}]
    table = pyarrow.table({"q": dictionary(["a", "b"], 3_000), "chat": [chat] * 3_000})
    assert rows(tmp_path, table) == [{"q": "b", "chat": chat}] * 3_000


def test_no_rows_are_no_rows(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"q": pyarrow.array([], "string")}), tmp_path / "r.parquet")
    (problem,) = iter_rows(tmp_path / "r.parquet", tmp_path)
    assert isinstance(problem, Problem)
    assert problem.message == "has no rows"


def test_the_first_row_is_there_before_the_last_is_read(tmp_path: Path) -> None:
    file = tmp_path / "r.parquet"
    table = pyarrow.table({"q": ["x"] * 1_000 + ["y" * 17_000_000]})
    parquet.write_table(table, file, row_group_size=1_000, use_dictionary=False)
    found = iter_rows(file, tmp_path)
    first = next(found)
    assert not isinstance(first, Problem)
    assert first.values == {"q": "x"}
    with pytest.raises(SpecError, match="a row is larger than 16 MB"):
        list(found)


@pytest.mark.parametrize("start", [4, 40, 100])
def test_a_damaged_file_is_a_problem(tmp_path: Path, start: int) -> None:
    file = tmp_path / "r.parquet"
    parquet.write_table(pyarrow.table({"q": [str(n) for n in range(1_000)]}), file)
    content = file.read_bytes()
    file.write_bytes(content[:start] + b"\xff" * 40 + content[start + 40 :])
    with pytest.raises(SpecError, match="not a Parquet file"):
        list(iter_rows(file, tmp_path))


def nested(levels: int) -> Any:
    """Return a column of lists in lists."""
    kind, value = pyarrow.int32(), 1
    for _ in range(levels):
        kind, value = pyarrow.list_(kind), [value]
    return pyarrow.array([value], kind)


def zeros(count: int, size: int) -> Any:
    return pyarrow.array([b"\0" * size] * count, pyarrow.large_binary())


TOO_MUCH = {
    "a page of 450 MB": (lambda: zeros(45, 10_000_000), {}, "more than 400 MB of memory"),
    "a row of 60 MB": (lambda: zeros(1, 60_000_000), {}, "larger than 16 MB|more than 400 MB"),
    "nothing, very often": (
        lambda: pyarrow.nulls(30_000_000, pyarrow.int32()),
        {},
        r"has 30,000,000 rows in [\d,]+ bytes; [\d,]+ are read at most",
    ),
    "deep lists": (lambda: nested(60), {}, "too deeply nested"),
    "a moment of no calendar": (
        lambda: pyarrow.array([2**62], pyarrow.timestamp("us")),
        {},
        "holds a value that can't be read: date value out of range",
    ),
    "a day of no calendar": (
        lambda: pyarrow.array([2**31 - 1], pyarrow.date32()),
        {},
        "holds a value that can't be read: ",
    ),
    "maps": (
        lambda: pyarrow.array([[("a", 1)]], pyarrow.map_(pyarrow.string(), pyarrow.int32())),
        {},
        "has maps, which aren't read: save them as objects",
    ),
    "maps in objects": (
        lambda: pyarrow.array(
            [{"m": [("a", 1)]}],
            pyarrow.struct([("m", pyarrow.map_(pyarrow.string(), pyarrow.int32()))]),
        ),
        {},
        "has maps, which aren't read",
    ),
}


@pytest.mark.parametrize("compression", ["zstd", "snappy"])
@pytest.mark.parametrize(("column", "how", "why"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_stands_for_too_much_is_refused_in_one_line(
    column: Any, how: dict[str, Any], why: str, compression: str, tmp_path: Path
) -> None:
    how = {"use_dictionary": False, "compression": compression, **how}
    with pytest.raises(SpecError, match=why) as caught:
        rows(tmp_path, pyarrow.table({"q": column()}), **how)
    assert "\n" not in str(caught.value)


def test_large_rows_are_decoded_a_few_at_a_time(tmp_path: Path) -> None:
    text = "x" * 8_000_000  # together more than the process may have
    table = pyarrow.table({"q": [text] * 60})
    how = {"use_dictionary": False, "write_batch_size": 1, "compression": "zstd"}
    assert len(rows(tmp_path, table, **how)) == 60


def test_thousands_of_columns_are_read(tmp_path: Path) -> None:
    table = pyarrow.table({f"c{n}": [n] * 300 for n in range(2_000)})
    assert len(rows(tmp_path, table)[299]) == 2_000


def test_decoding_has_a_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BATCH_S", 0.02)
    with pytest.raises(SpecError, match=r"decoding a few of its rows takes more than 0\.02 s"):
        rows(tmp_path, pyarrow.table({"q": zeros(1, 40_000_000)}), compression="gzip")


LIMITED = """
import resource, sys
from pathlib import Path
from lve.errors import SpecError
from lve.data.rows import iter_rows
file = Path(sys.argv[1])
found = iter_rows(file, file.parent)
next(found)
used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (used + 1_000_000, used + 1_000_000))
try:
    list(found)
except SpecError as error:
    print(error)
"""


HOSTILE = """
import os, subprocess, sys, time

def main(_):
    write = lambda data: os.write(1, data)
    {body}
"""
LIES = {
    "no JSON": ("write(b'x' * 10 + b'\\n')", "gave an answer that can't be read: no valid JSON"),
    "Arrow": ("write(b'\\xff\\xff\\xff\\xff\\n')", "no valid JSON"),
    "no end of a line": ("write(b'{}')", "gave an answer without an end"),
    "no batch": ("write(b'{}\\n')", "gave no rows"),
    "too many names": (
        """write(b'{"names":["q","r"],"kinds":[null],"columns":[["x"]]}\\n')""",
        "gave no rows",
    ),
    "columns of different lengths": (
        """write(b'{"names":["q","r"],"kinds":[null,null],"columns":[["x"],[]]}\\n')""",
        "gave no rows",
    ),
    "an unknown kind": (
        """write(b'{"names":["q"],"kinds":["code"],"columns":[["x"]]}\\n')""",
        "gave no rows",
    ),
    "a number that fills the memory": (
        """write(b'{"names":["q"],"kinds":["decimal"],"columns":[["1E999999999"]]}\\n')""",
        "gave no rows",
    ),
    "a flood of objects": (
        "write(b'{\"a\":[')\n    while True: write(b'{},' * 10_000)",
        "gave an answer of more than 64 MB",
    ),
    "silence": ("time.sleep(60)", "gave nothing for 1 s"),
    "silence after its rows": ("os.close(1); time.sleep(60)", "didn't end"),
    "a flood of messages": (
        "os.close(1)\n    while True: os.write(2, b'x' * 10_000)",
        "didn't end",
    ),
    "what it has started stays": (
        "subprocess.Popen(['sleep', '60']); os._exit(0)",
        "gave nothing for 1 s",
    ),
}


@pytest.mark.parametrize(("body", "why"), LIES.values(), ids=LIES)
def test_a_process_that_a_file_has_taken_over_is_an_error_in_a_sentence(
    body: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hostile.py").write_text(HOSTILE.format(body=body), encoding="utf-8")
    (tmp_path / "r.parquet").write_bytes(b"")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(reading, "START_S", 1.0 if why.endswith("nothing for 1 s") else 60.0)
    monkeypatch.setattr(reading, "END_S", 1.0)
    monkeypatch.setattr(reading, "child_command", lambda *_: child_command("hostile", 0))
    with pytest.raises(SpecError, match=f"can't be read: the process that decodes it .*{why}"):
        list(iter_rows(tmp_path / "r.parquet", tmp_path))


def test_a_process_gives_no_more_rows_than_the_file_may_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "most_rows", lambda _: 2)
    file = tmp_path / "r.parquet"
    parquet.write_table(pyarrow.table({"q": ["a", "b"]}), file)
    assert len(list(iter_rows(file, tmp_path))) == 2
    parquet.write_table(pyarrow.table({"q": ["a", "b", "c"]}), file)
    with pytest.raises(SpecError, match="gave more than 2 rows"):
        list(iter_rows(file, tmp_path))


def test_values_that_json_lacks_are_read(tmp_path: Path) -> None:
    day, price = date(2024, 2, 29), Decimal("1.50")
    table = pyarrow.table({"day": [day], "price": [price], "n": [float("inf")], "b": [[b"x"]]})
    assert rows(tmp_path, table) == [{"day": day, "price": price, "n": float("inf"), "b": [b"x"]}]


def test_texts_that_json_spells_much_longer_are_read(tmp_path: Path) -> None:
    texts = ["\x01" * 3_000_000] * 5  # 18 MB each, as JSON
    assert [row["q"] for row in rows(tmp_path, pyarrow.table({"q": texts}))] == texts


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory")
def test_memory_that_runs_out_here_is_a_problem_too(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    table = pyarrow.table({"q": ["x" * 10_000_000] * 8})
    parquet.write_table(table, file, use_dictionary=False, write_batch_size=1)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "its rows take more memory than there is" in done.stdout, done.stderr


@pytest.mark.parametrize("start", range(4, 120, 12))
def test_a_footer_may_say_anything(tmp_path: Path, start: int) -> None:
    file = tmp_path / "r.parquet"
    parquet.write_table(pyarrow.table({"q": ["a", "b"], "n": [1, 2]}), file)
    content = file.read_bytes()
    at = len(content) - start - 8
    file.write_bytes(content[:at] + b"\xff\xff\xff\x7f" + content[at + 4 :])
    try:
        found = list(iter_rows(file, tmp_path))
    except SpecError as error:
        assert "\n" not in str(error)  # noqa: PT017 (some bytes are no harm)
    else:
        assert len(found) <= 2
