"""Hostile folders as data: what `tests/hostile/cases/*.yaml` holds, and how a folder is made of it.

Git keeps no FIFOs, no links that lead out, no files of 12 MB of blanks; so a folder is written down
as a recipe: `test`, keys of its test.json beside those of `PLAIN`, and `files`. An entry with
`each` is one case for each value of that list, which stands wherever the entry says `__EACH__`;
with `together: N` up to N of them are folders of one case. With `part: N`, `make test` takes every
Nth value, beginning elsewhere in each entry; `make fuzz` takes all. Cases that can stand beside
each other are sent through the doors together, up to `TOGETHER` of them (`alone: true`: not this
one). `doors` names the doors, all by default. `make fuzz` sends a case through all of them, `make
test` through one: `door` if the case names it; `run` if it has a verdict, an output or a model's
answer of its own; otherwise the doors take turns.

The value of a file is

    text                          as it is
    [part, part, ...]             parts, one after the other
    {repeat: part, times: N}      a part many times
    {numbered: "a{n},", times: N} a text for each n from 0
    {base64: text}                bytes
    {link: target}                a symbolic link
    {fifo: true}                  a named pipe
    {socket: true}                a socket that somebody bound
    {sparse: N}                   a file of N bytes that takes no room
    {folder: true}                an empty folder
    {made: NAME}                  what a function in `MAKERS` writes

In texts, `__CANARY__` is a file that must never appear, `__OUTSIDE__` a file outside that must
never be read, `__TRAP__` the address of a server that must never be asked.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parent / "cases"
LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Every worker of pytest reads all cases. In C, where PyYAML has that, it takes a fifth."""
IS_FUZZ = "LVE_FUZZ_INPUTS" in os.environ
DOORS = ("check", "render", "run", "pytest")
TOGETHER = 10
"""Cases. What bounds a command bounds all of them."""
PLAIN: Mapping[str, Any] = {
    "description": "A hostile test.",
    "model": "dummy/dummy",
    "prompt": [{"content": "Say 4"}],
    "checker_args": {"checker_name": "LambdaChecker", "func": "lambda r: True"},
}
"""The test document, where a case says nothing else. A null takes a key away."""


@dataclass(frozen=True)
class Case:
    """Hostile folders and what must come of them."""

    id: str
    """Unique: its file, its name. Also the name of the model that it runs against."""
    folders: Mapping[str, Mapping[str, Any]]
    """Name of a test folder -> path relative to it (`../x` is beside it) -> value."""
    doors: tuple[str, ...] = DOORS
    door: str | None = None
    """The one of `make test`; None: any of them."""
    answer: Any = "4"
    """What the model says, a value as for files."""
    verdict: str | None = None
    """What `lve run` must make of it, a verdict or `invalid`; None: anything that ends well."""
    says: str | None = None
    """Text that one of the doors must print."""
    args: Mapping[str, list[str]] = field(default_factory=dict)
    """Further arguments of a door."""
    cwd: str = "."
    """Where one stands, relative to the workspace."""
    env: Mapping[str, str] = field(default_factory=dict)
    good: bool = True
    """Whether the good tests beside it must run. Not where a whole command is refused."""
    alone: bool = False
    """Whether it needs commands of its own: its time, or what it leaves in the workspace."""


def load_cases() -> list[Case]:
    """Return all cases, with unique names."""
    cases = []
    for file in sorted(CASES.glob("*.yaml")):
        for entry in yaml.load(file.read_text(encoding="utf-8"), Loader=LOADER):
            cases += _cases_of({**entry, "id": f"{file.stem}-{entry['id']}"})
    names = [case.id for case in cases]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"cases of the same name: {twice}"
    return cases


def _cases_of(entry: dict[str, Any]) -> Iterator[Case]:
    values = entry.pop("each", None)
    together, part = entry.pop("together", 1), entry.pop("part", 1)
    if values is None:
        yield _case(entry, {entry["id"]: _files_of(entry)})
        return
    part = 1 if IS_FUZZ else part
    numbers = range(1 + len(entry["id"]) % part, len(values) + 1, part)
    for start in range(0, len(numbers), together):
        filled = {n: _filled(entry, values[n - 1]) for n in numbers[start : start + together]}
        folders = {f"{entry['id']}-{n}": _files_of(one) for n, one in filled.items()}
        first, entry_of_first = next(iter(filled.items()))
        yield _case({**entry_of_first, "id": f"{entry['id']}-{first}"}, folders)


def hostile_expressions() -> list[str]:
    """Return the expressions of which `make test` puts only a part into folders."""
    entries = yaml.load((CASES / "expressions.yaml").read_text(encoding="utf-8"), Loader=LOADER)
    return [each for entry in entries if "part" in entry for each in entry["each"]]


def groups_of(cases: list[Case]) -> list[list[Case]]:
    """Return the cases in groups that can stand in one workspace."""
    alike: dict[str, list[Case]] = {}
    for case in cases:
        alike.setdefault(_needs(case), []).append(case)
    groups = [
        group[start : start + TOGETHER]
        for group in alike.values()
        for start in range(0, len(group), TOGETHER)
    ]
    return groups if IS_FUZZ else list(_through_one_door(groups))


def _through_one_door(groups: list[list[Case]]) -> Iterator[list[Case]]:
    """Yield the groups with the door of each that `make test` sends it through."""
    turns = count()
    for group in groups:
        case = group[0]
        is_run = case.verdict or case.says or case.answer != Case.answer
        door = case.door or ("run" if is_run and "run" in case.doors else None)
        if door is None:
            door = case.doors[next(turns) % len(case.doors)]
        yield [replace(one, doors=(door,)) for one in group]


def _needs(case: Case) -> str:
    """Return what cases of one workspace have in common."""
    files = (name for folder in case.folders.values() for name in folder)
    if case.alone or case.says is not None or any(name.startswith("..") for name in files):
        return case.id
    has_verdict = case.verdict is not None
    return json.dumps(
        [case.doors, case.door, has_verdict, case.args, case.cwd, case.env, case.good, case.answer]
    )


def joined(group: list[Case]) -> Case:
    """Return one case with the folders of a group. Nothing is said of their verdicts."""
    folders = {name: files for case in group for name, files in case.folders.items()}
    assert len(folders) == sum(len(case.folders) for case in group), "folders of the same name"
    return replace(group[0], folders=folders, verdict=None) if len(group) > 1 else group[0]


def _filled(value: Any, each: Any) -> Any:
    """Return a value with `__EACH__` replaced; where that is the whole text, by any value."""
    if value == "__EACH__":
        return each
    if isinstance(value, str):
        return value.replace("__EACH__", str(each))
    if isinstance(value, list):
        return [_filled(item, each) for item in value]
    if isinstance(value, dict):
        return {_filled(key, each): _filled(item, each) for key, item in value.items()}
    return value


def _files_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    files = dict(entry.get("files", {}))
    if not {"test.yaml", "test.json"} & set(files):
        document = {k: v for k, v in {**PLAIN, **entry.get("test", {})}.items() if v is not None}
        files["test.json"] = json.dumps(document, indent=1)
    return files


def _case(entry: Mapping[str, Any], folders: Mapping[str, Mapping[str, Any]]) -> Case:
    kept = {k: v for k, v in entry.items() if k not in ("test", "files")}
    return Case(**{**kept, "doors": tuple(entry.get("doors", DOORS)), "folders": folders})


@dataclass(frozen=True)
class Traps:
    """What a hostile folder would like to reach."""

    canary: Path
    outside: Path
    address: str

    def spelled(self, text: str) -> str:
        """Return a text with its placeholders filled."""
        for name, value in (
            ("__CANARY__", self.canary),
            ("__OUTSIDE__", self.outside),
            ("__TRAP__", self.address),
        ):
            text = text.replace(name, str(value))
        return text


def build(folder: Path, files: Mapping[str, Any], traps: Traps) -> None:
    """Write a case's files into a folder that exists."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, value, traps)


def text_of(value: Any, traps: Traps) -> str:
    """Return a value that is a text."""
    if isinstance(value, str):
        return traps.spelled(value)
    if isinstance(value, list):
        return "".join(text_of(part, traps) for part in value)
    if "numbered" in value:
        return "".join(value["numbered"].replace("{n}", str(n)) for n in range(value["times"]))
    return text_of(value["repeat"], traps) * int(value["times"])


def _write(path: Path, value: Any, traps: Traps) -> None:
    special = next((kind for kind in _KINDS if isinstance(value, dict) and kind in value), None)
    if special is None:
        path.write_text(text_of(value, traps), encoding="utf-8", newline="")
    else:
        _KINDS[special](path, value[special], traps)


def _link(path: Path, target: str, traps: Traps) -> None:
    path.symlink_to(traps.spelled(target))


def _socket(path: Path, _: Any, __: Traps) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the path of a socket may have 100 characters
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)  # its file stays
    finally:
        os.chdir(here)


def _sparse(path: Path, size: int, _: Traps) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def _made(path: Path, name: str, traps: Traps) -> None:
    MAKERS[name](path, traps)


_KINDS: dict[str, Callable[[Path, Any, Traps], None]] = {
    "base64": lambda path, text, _: void(path.write_bytes(base64.b64decode(text))),
    "link": _link,
    "fifo": lambda path, _, __: os.mkfifo(path),
    "socket": _socket,
    "sparse": _sparse,
    "folder": lambda path, _, __: path.mkdir(),
    "made": _made,
}


def void(_: object) -> None:
    """Forget a value."""


def _bare_repository(path: Path, traps: Traps) -> None:
    """A bare repository inside the folder, as a clone brings it, whose configuration runs a
    program whenever git looks at the files."""
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    command = f"touch {traps.canary}"
    with (path / "config").open("a") as config:
        config.write(
            f"\tworktree = ..\n\tfsmonitor = {command}\n\thooksPath = hooks\n\tpager = {command}\n"
            f'[core]\n\tbare = false\n\tsshCommand = {command}\n[filter "x"]\n'
            f"\tclean = {command}; cat\n\tsmudge = {command}; cat\n\tprocess = {command}\n"
            f"\trequired = true\n[diff]\n\texternal = {command}\n[alias]\n\tstatus = !{command}\n"
        )
    for hook in ("post-index-change", "post-checkout", "pre-commit"):
        script = path / "hooks" / hook
        script.write_text(f"#!/bin/sh\n{command}\n")
        script.chmod(0o755)


def _checkout(path: Path, traps: Traps) -> None:
    """A `.git` folder with the same configuration, as an archive brings it, and a commit."""
    folder = path.parent
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(folder), *identity, "commit", "-qm", "x"], check=True)
    command = f"touch {traps.canary}"
    with (path / "config").open("a") as config:
        config.write(
            f'[core]\n\tfsmonitor = {command}\n[filter "x"]\n\tclean = {command}; cat\n'
            f"\tprocess = {command}\n"
        )
    (folder / ".gitattributes").write_text("* filter=x\n")


def _parquet_bomb(path: Path, _: Traps) -> None:
    """A file of some kilobytes whose rows are gigabytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.DictionaryArray.from_arrays(
        pa.array([0] * 2_000, type=pa.int32()), pa.array(["x" * 1_000_000])
    )
    pq.write_table(pa.table({"question": column}), path, compression="zstd")


def _deep_folders(path: Path, _: Traps) -> None:
    """Folders in folders, deeper than Python's stack."""
    here = os.open(path.parent, os.O_RDONLY)
    try:
        name = path.name
        for _level in range(1_200):
            os.mkdir(name, dir_fd=here)
            below = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here, name = below, "d"
    finally:
        os.close(here)


MAKERS: dict[str, Callable[[Path, Traps], None]] = {
    "bare_repository": _bare_repository,
    "checkout": _checkout,
    "deep_folders": _deep_folders,
    "parquet_bomb": _parquet_bomb,
}
