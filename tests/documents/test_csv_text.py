"""Records of CSV texts, and where their quotes are wrong."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.documents.csv_text import csv_records, delimiter_of
from lve.documents.position_types import Finding

TWICE = 'a quote within quotes is written twice: ""'
AFTER, OPEN = "text after a closing quote", "a quote is never closed"


def read(text: str, delimiter: str = ",", **limit: int) -> list[Any]:
    """Return the records of a text; of one that isn't valid, its place and what is said of it."""
    lines = io.StringIO(text, newline="")
    return [
        (record.line, record.column, record.message) if isinstance(record, Finding) else record
        for _, record in csv_records(lines, delimiter, **limit)
    ]


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ('a,b\n"say \\"hi\\"",Yes\nc,d\n', [["a", "b"], (2, 8, AFTER), ["c", "d"]]),
        ('"a"b,Yes\n', [(1, 4, AFTER)]),
        ('"a" ,b', [(1, 4, AFTER)]),
        ('"a,""b""",\'x\',"c"d\n', [(1, 18, AFTER)]),
        ('"a\nb","c"d\n', [(2, 7, AFTER)]),
        ('"a\rb","c"d\r', [(2, 7, AFTER)]),
        ('"x \\"",1\n"y",2\n', [(2, 2, AFTER)]),
        ('x,"a\nb,c\n', [(1, 3, OPEN)]),
        ('x,"a""', [(1, 3, OPEN)]),
        ('a"b,c"\n', [['a"b', 'c"']]),
        ('"C:\\dir\\",b', [["C:\\dir\\", "b"]]),
        ("a\r\rb\r", [["a"], [], ["b"]]),
        ("", []),
    ],
)
def test_records_and_their_faults(text: str, records: list[Any]) -> None:
    assert read(text) == records


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('"say \\"hi\\""', f'{TWICE}, not \\"'),
        ('"x \\"",1\n"y",2\n', f'{TWICE}, not \\"'),
        ('"a"b', TWICE),
        ('"a', f"close it; {TWICE}"),
    ],
)
def test_what_to_do_is_said(text: str, hint: str) -> None:
    [(_, record)] = csv_records([*io.StringIO(text, newline="")])
    assert isinstance(record, Finding)
    assert (record.hint, record.code) == (hint, "csv")


def test_lines_are_those_at_which_records_begin() -> None:
    lines = [line for line, _ in csv_records(['"a\n', 'b",c\n', "\n", "d\n", '"e"f\n', "g\n"])]
    assert lines == [1, 3, 4, 5, 6]


def test_a_cell_may_be_as_long_as_a_record_whose_length_is_limited() -> None:
    long = "x" * 1_000_000
    assert read(f'"{long}",a\nb\n') == [[long, "a"], ["b"]]
    said = "not valid CSV: the line is longer than 1 MB; the rest of the file is not read"
    assert read(f'a\n"{long}",a\nb\n', max_chars=1_000_000) == [["a"], (2, 1, said)]


def test_a_record_of_many_lines_is_read_in_linear_time() -> None:
    [[cell]] = read('"' + "x\n" * 300_000 + '"')
    assert len(cell) == 600_000


def test_a_record_with_many_quotes_is_explained_in_linear_time() -> None:
    quotes = '""' * 300_000
    assert read(f'"{quotes}') == [(1, 1, OPEN)]
    assert read(f'"{quotes}"x') == [(1, 600_003, AFTER)]


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [
        ("a,b", ","),
        ("a;b", ";"),
        ("a\tb", "\t"),
        ("a|b", "|"),
        ("a,b;c", ","),
        ('"a,b";c', ";"),
        ('"a;b"', ","),
        ('"a;b', ","),
        ("", ","),
    ],
)
def test_what_separates_columns(header: str, delimiter: str) -> None:
    assert delimiter_of(header) == delimiter


CELLS = st.text(st.sampled_from('ab",;\n\r\\ \t|é'), max_size=8)


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=5),
    st.sampled_from(",;\t|"),
)
def test_what_a_writer_writes_is_read(rows: list[list[str]], delimiter: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter).writerows(rows)
    assert read(written.getvalue(), delimiter) == rows


@given(st.text(st.sampled_from('a",\n\\'), max_size=30))
def test_each_fault_has_a_place_in_the_text(text: str) -> None:
    lines = text.split("\n")
    for record in read(text):
        if isinstance(record, tuple):
            line, column, message = record
            at = lines[line - 1][column - 1 : column]
            assert message in {AFTER, OPEN}
            assert (at == '"') == (message == OPEN)


@pytest.mark.parametrize(
    ("record", "is_read"),
    [
        ("a,bcdefg\n", True),
        ("a,bcdefgh\n", True),
        ("a,bcdefghi\n", False),
        ('"a\nbcd",e\n', True),
        ('"a\nbcdefg",h\n', False),
    ],
)
def test_a_record_may_have_as_many_characters_as_is_said(record: str, *, is_read: bool) -> None:
    assert (len(record) <= 10) is is_read
    first, *others = read(f"{record}x,y\n", max_chars=10)
    assert isinstance(first, list) is is_read
    assert others == [["x", "y"]] * is_read or not is_read
