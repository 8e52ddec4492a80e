"""Untrusted files that lve's own code reads in a child process are read in the sandbox, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.sandbox.layers import missing

pytestmark = pytest.mark.skipif(bool(missing()), reason="no whole sandbox on this machine")


def _filters(status: Path) -> int:
    """Return how many filters of system calls a process has."""
    said = status.read_text().splitlines()
    return next(int(line.split()[1]) for line in said if line.startswith("Seccomp_filters:"))


def _a_child_is_in_it() -> bool:
    """Whether a process that this one or its children started has more filters than this one."""
    own, left = _filters(Path("/proc/self/status")), _children("self")
    while left:
        pid = left.pop()
        if _filters(Path(f"/proc/{pid}/status")) > own:
            return True
        left += _children(pid)
    return False


def _children(pid: str) -> list[str]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]


def test_parquet_files_are_decoded_in_it(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from lve.extensions.parquet.reading import read_parquet

    rows = [{"x": "a" * 1000 + str(n)} for n in range(20_000)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    found = read_parquet(tmp_path / "rows.parquet", tmp_path)
    assert next(found) == rows[0]
    assert _a_child_is_in_it()
    assert list(found) == rows[1:]


def test_chat_templates_are_rendered_in_it() -> None:
    pytest.importorskip("transformers")
    from lve.extensions.hf.templates import TemplateRenderer

    renderer = TemplateRenderer()
    try:
        assert renderer.render("{{ messages[0].content }}", [{"role": "user", "content": "x"}], {})
        assert _a_child_is_in_it()
    finally:
        renderer.close()
