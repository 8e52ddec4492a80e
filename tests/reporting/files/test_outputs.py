"""The files of reports: refused before anything is paid for, written whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.recorded import recorded
from support.results import make_result

from lve.errors import LveError, MissingExtraError, UsageError
from lve.reporting.files.outputs import WRITERS, Output, plan_outputs, write_outputs


def test_files_are_written_with_the_folders_that_they_need(tmp_path: Path) -> None:
    writable = [name for name, one in WRITERS.items() if not one.needs or find_spec(one.needs)]
    names = [str(tmp_path / "new" / "folder" / f"report{suffix}") for suffix in writable]
    outputs = plan_outputs(names)
    assert not any(Path(name).exists() for name in names)
    with recorded(tmp_path, [make_result()]) as session:
        written = write_outputs(outputs, [session])
    assert [one.name for one in written] == names
    assert [one.size for one in written] == [Path(name).stat().st_size for name in names]
    assert all(one.size > 100 for one in written)
    assert sorted((tmp_path / "new" / "folder").iterdir()) == sorted(map(Path, names))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("report", "no report has the suffix ''"),
        ("report.docx", r"no report has the suffix '.docx': there are .*\.csv"),
        ("folder.csv", "is a folder"),
        ("file/report.csv", "can't be written: "),
        ("pipe.csv", "not a regular file"),
        ("a\0b.csv", "is no path"),
        ("x" * 300 + ".csv", "File name too long"),
    ],
)
def test_what_cannot_be_written_is_said_before(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(UsageError, match=why):
        plan_outputs([f"{tmp_path}/{name}"])


def test_a_missing_package_is_said_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pyarrow: pip install 'lve\[datasets\]'"):
        plan_outputs([f"{tmp_path}/a.parquet"])


def test_a_file_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to("a.csv")
    for other in ("a.csv", "./a.csv", "link.csv"):
        with pytest.raises(UsageError, match="named twice"):
            plan_outputs([f"{tmp_path}/a.csv", f"{tmp_path}/{other}"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_said_before(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="Permission denied"):
            plan_outputs([f"{tmp_path}/a.csv"])
    finally:
        tmp_path.chmod(0o700)


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to("real.csv")
    with recorded(tmp_path, [make_result()]) as session:
        write_outputs(plan_outputs([f"{tmp_path}/link.csv"]), [session])
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").stat().st_size > 100


def test_a_report_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    def fail(_: Any, file: Any) -> None:
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    (tmp_path / "a.csv").write_text("old")
    output = Output("a.csv", tmp_path / "a.csv", fail)
    with recorded(tmp_path, []) as session, pytest.raises(UsageError, match="No space left"):
        write_outputs([output], [session])
    assert (tmp_path / "a.csv").read_text() == "old"
    assert not list(tmp_path.glob(".draft*"))


def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old")
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from lve.reporting.files.outputs import Output, write_outputs\n"
        "def write(sessions, file):\n"
        "    file.write(b'half of it')\n"
        "    file.flush()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_outputs([Output('a.csv', Path(sys.argv[1]), write)], [])\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.csv")], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert (tmp_path / "a.csv").read_text() == "old"


def test_others_may_read_a_report_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with recorded(tmp_path, []) as session:
            write_outputs(plan_outputs([f"{tmp_path}/a.csv"]), [session])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.csv").stat().st_mode) == 0o640


def test_all_problems_are_of_the_users_tree_of_errors(tmp_path: Path) -> None:
    with pytest.raises(LveError):
        plan_outputs([str(tmp_path / "a.docx")])
