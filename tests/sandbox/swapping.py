"""A checker that has lve's own cleaning run into a folder of the user, if anything follows a path.

What it starts exchanges folders and links to the folder of a victim without end. A path through 39
links of thousands of steps makes each exchange take milliseconds, so that some are under way
whenever the processes are killed, and are finished afterwards. The files in the folders have the
names of the victim's, so the window is as long as a folder takes to empty.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from support.judging import judge_answers, spec_with

from lve.checkers.resolve import resolve

FILES = 256
CHECKER = """
import ctypes, errno, os, tempfile, time
from lve import Verdict

HOME, AT_CWD, EXCHANGE = tempfile.gettempdir(), -100, 2

def exchange(one, other):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(AT_CWD, one.encode(), AT_CWD, other.encode(), EXCHANGE):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def swap_folders(victim, pairs, files):
    deep = HOME + "/q" * 6  # what is deep is removed last
    os.makedirs(deep + "/z")
    os.chdir(deep)
    os.symlink(HOME, "c0")
    for n in range(1, 39):
        os.symlink("z/../" * 800 + f"c{n - 1}", f"c{n}")
    for n in range(pairs):
        os.mkdir(f"{HOME}/d{n}")
        os.symlink(victim, f"{HOME}/l{n}")
        for name in range(files):
            os.close(os.open(f"{HOME}/d{n}/{name}", os.O_CREAT | os.O_WRONLY))
    exchange("c38/d0", HOME + "/l0")
    for n in range(pairs):
        if os.fork() == 0:
            os.closerange(0, 64)  # nobody waits for the end of its output
            while True:
                exchange(f"c38/d{n}", f"{HOME}/l{n}")

class C:
    def check(self, context):
        swap_folders(context.args["victim"], 6, context.args["files"])
        time.sleep(0.02)
        return Verdict("passed", "swapping")
"""


def swapping_checker(folder: Path) -> Callable[[Path], None]:
    """Write the checker, and return what judges with it and ends its process.

    Args:
        folder: of its test.
    """
    (folder / "checker").mkdir(parents=True)
    (folder / "checker" / "checker.py").write_text(CHECKER)
    spec = spec_with(folder, checker_args={"checker_name": "C"})

    def judge_and_end(victim: Path) -> None:
        judge = resolve(spec, trusted=True)
        verdict = judge_answers(judge, "x", args={"victim": str(victim), "files": FILES})
        assert verdict.reason == "swapping", verdict
        for checker in judge.checkers:
            checker.constant.process.rest()  # type: ignore[union-attr]

    return judge_and_end


def make_victim(folder: Path) -> None:
    """Make a folder with files, or what is missing of it."""
    folder.mkdir(exist_ok=True)
    for name in range(FILES):
        (folder / str(name)).touch()
    folder.chmod(0o750)


def is_untouched(victim: Path) -> bool:
    """Whether all of a victim is there, and its mode as it was."""
    names = {file.name for file in victim.iterdir()}
    return names == set(map(str, range(FILES))) and victim.stat().st_mode & 0o777 == 0o750
