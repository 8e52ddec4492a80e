"""Test folders whose files are links, pipes, devices or endless: each is that test's own error.

One tree has them all beside an honest test. Every command reads it with a limit on its memory and a
deadline; nothing of what a link leads to is shown.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support.folders import workspace, write_test
from support.forked import python

pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="no pipes in folders there")

SECRET = "attack-at-dawn"
DEADLINE_S = 120
MAX_MEMORY_BYTES = 3_000_000_000
TERABYTE = 10**12


def to_secret(path: Path) -> None:
    path.symlink_to(next(p for p in path.parents if p.name == "root").parent / "secret")


def to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def huge(path: Path) -> None:
    path.touch()
    os.truncate(path, TERABYTE)


KINDS: tuple[Callable[[Path], None], ...] = (to_secret, to_zeros, to_itself, pipe, folder, huge)


def document(root: Path, make: Callable[[Path], None]) -> None:
    root.mkdir()
    make(root / "test.json")


def prompt_file(root: Path, make: Callable[[Path], None]) -> None:
    make(write_test(root, prompt=None, prompt_file="x.prompt") / "x.prompt")


def prompt_object(root: Path, make: Callable[[Path], None]) -> None:
    make(write_test(root, prompt=None, prompt_object="saved.json") / "saved.json")


def output_schema(root: Path, make: Callable[[Path], None]) -> None:
    given = {
        "name": "x",
        "instruction": "x",
        "input_keys": ["a"],
        "output_key": "b",
        "output_type": "json",
    }
    folder = write_test(root, prompt=None, prompt_object=given, output_schema="schema.json")
    make(folder / "schema.json")


def instances(root: Path, make: Callable[[Path], None]) -> None:
    make(write_test(root, instances=[]) / "instances/x.jsonl")


def instance_folder(root: Path, make: Callable[[Path], None]) -> None:
    make(write_test(root) / "instances")


def checker(root: Path, make: Callable[[Path], None]) -> None:
    folder = write_test(root, checker_args={"checker_name": "Own"})
    (folder / "checker").mkdir()
    make(folder / "checker/checker.py")


def data(ending: str) -> Callable[[Path, Callable[[Path], None]], None]:
    def dataset(root: Path, make: Callable[[Path], None]) -> None:
        make(write_test(root, dataset=f"x.{ending}") / f"x.{ending}")

    return dataset


PLACES = {
    "document": document,
    "prompt_file": prompt_file,
    "prompt_object": prompt_object,
    "output_schema": output_schema,
    "instances": instances,
    "instance_folder": instance_folder,
    "checker": checker,
    **{ending: data(ending) for ending in ("jsonl", "csv", "json", "yaml", "parquet")},
}
HARMLESS = {"instance_folder-folder"}
"""An instance folder that is one."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of all hostile folders and an honest one, with a secret outside."""
    root = workspace(tmp_path_factory.mktemp("hostile") / "root")
    (root.parent / "secret").write_text(f'"{SECRET}"')
    write_test(root / "tree/honest")
    for place, write in PLACES.items():
        for make in KINDS:
            write(root / f"tree/{place}-{make.__name__}", make)
    return root


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def run(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module in the workspace, and refuse what no command may do."""
    done = subprocess.run(
        [*python(preexec=limit_memory), "-m", *command],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    assert "MemoryError" not in said
    assert SECRET not in said
    return done


def bad_folders(root: Path) -> set[str]:
    return {path.name for path in (root / "tree").iterdir()} - HARMLESS - {"honest"}


def test_check_tells_what_is_wrong_with_each(root: Path) -> None:
    done = run(root, "lve", "check", "tree")
    assert done.returncode == 2
    told = {name for name in bad_folders(root) if f"tree/{name}/" in done.stdout + done.stderr}
    assert bad_folders(root) - told == set()
    assert "tree/honest" not in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("lve", "run", "tree"),
        ("lve", "run", "--dry-run", "tree"),
        ("lve", "run", "--trust", "tree"),
        ("lve", "list", "tree"),
        ("lve", "show", "tree"),
        ("lve", "render", "tree"),
        ("lve", "record", "--to", "x", "tree/honest"),
    ],
    ids=" ".join,
)
def test_no_command_falls_for_any(root: Path, command: tuple[str, ...]) -> None:
    done = run(root, *command)
    assert "honest" in done.stdout + done.stderr


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_pytest_falls_for_none_and_runs_the_honest_test(
    root: Path, workers: tuple[str, ...]
) -> None:
    done = run(
        root, "pytest", "-p", "no:cacheprovider", "--continue-on-collection-errors", *workers
    )
    assert "2 passed" in done.stdout  # the other one is HARMLESS
