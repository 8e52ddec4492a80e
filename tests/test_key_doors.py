"""A server that knows the key, and says it in its errors and answers, in every spelling and around
every place where lve cuts: no part of it comes out of any door."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
from support.judges import yes
from support.key_server import KEY, answer, as_said, call, check, everything, told, written
from support.openai_answers import Received
from support.spelled_keys import SPELLINGS, parts, parts_in

from lve.child.child_process import MAX_OUTPUT_BYTES, Child, ChildEndedError

OUTPUTS = [text for name in ("r.html", "r.xml", "r.md", "r.csv") for text in ("-o", name)]


def test_the_command_line_its_files_and_reports(tmp_path: Path) -> None:
    with written(tmp_path, answer):
        printed = call(tmp_path, "lve", "run", "t", "-v", *OUTPUTS)
        printed += call(tmp_path, "lve", "show", "last", "t", "--failures")
        printed += call(tmp_path, "lve", "run", "--resume", "last", "--json")
    assert {"r.html", "r.xml", "r.md", "r.csv"} <= {file.name for file in tmp_path.iterdir()}
    check(tmp_path, printed)


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_pytest_and_its_workers(tmp_path: Path, workers: tuple[str, ...]) -> None:
    with written(tmp_path, answer):
        more = ["-p", "no:cacheprovider", "--lve-output", "r.html", "--junit-xml", "j.xml", "-vv"]
        printed = call(tmp_path, "pytest", "t", "-rA", *more, *workers)
    assert {"r.html", "j.xml"} <= {file.name for file in tmp_path.iterdir()}
    check(tmp_path, printed)


def test_a_judge_that_says_the_key(tmp_path: Path) -> None:
    def judge(request: Received) -> Any:
        asked = "".join(str(message["content"]) for message in request.json["messages"])
        if "It is kind." not in asked:
            return f"Hello {request.prompt}"
        _, kind, number, offset, *_ = asked[asked.index("Hello Say ") + len("Hello ") :].split()
        text = told(int(number), int(offset))
        return yes(**{"1": text}) if kind == "answer" else as_said(kind, text)

    with written(tmp_path, judge, checker_args=None, check={"judge": "It is kind."}):
        check(tmp_path, call(tmp_path, "lve", "run", "t", "-v", *OUTPUTS))


def test_the_last_words_of_a_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the last bytes of a child's output are kept, so the key may be cut there."""
    code = """
        import json, os, sys
        from lve.child.child_side import serve

        def answer(request):
            os.write(2, b"a line\\n" + request["say"].encode() + b" " * request["spaces"])
            os._exit(3)

        def main(lifeline):
            serve(lifeline, answer)
    """
    (tmp_path / "talking_child.py").write_text(textwrap.dedent(code), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    windows = parts(KEY)
    for name in ("as it is", "reversed", "hexadecimal", "base32 after 0 bytes", "JSON in JSON"):
        said = SPELLINGS[name](KEY)
        for kept in (len(said) - 1, len(said) // 2):
            child = Child("talking_child", shortest_s=0.05)
            with pytest.raises(ChildEndedError) as failed:
                child.ask({"say": said, "spaces": MAX_OUTPUT_BYTES - kept}, timeout_s=60)
            assert "[redacted]" in str(failed.value)
            assert not parts_in(str(failed.value), windows)


def test_tables_and_the_site(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("jinja2")
    tables = [text for name in ("r.parquet", "r.json") for text in ("-o", name)]
    with written(tmp_path, answer):
        (tmp_path / "t" / "README.md").write_text(f"# Said\n\nThe key is `{KEY}`.\n")
        printed = call(tmp_path, "lve", "run", "t", *tables)
        printed += call(tmp_path, "lve", "site", "build", "t", "-o", "pages", "--session", "last")
    table = tmp_path / "r.parquet"
    (tmp_path / "table.txt").write_text(repr(pyarrow.read_table(table).to_pylist()))
    table.unlink()  # compressed
    texts = everything(tmp_path, printed)
    assert len([name for name in texts if name.startswith("pages")]) >= 2
    for name in ("printed", "table.txt", "r.json", "pages/tests/t.html"):
        assert "[redacted]" in texts[name], name
    windows = parts(KEY)
    assert [name for name, text in texts.items() if parts_in(text, windows)] == []
