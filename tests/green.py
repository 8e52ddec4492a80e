"""Workspaces of tests/cases/green: how they are recorded, changed, and looked at by each door."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from click import ClickException
from click.testing import CliRunner
from support.command_line import lve
from support.pytest_runs import run_apart

from lve.cli.main import cli, exit_code_of
from lve.errors import LveError
from lve.exit_code import ExitCode

CASES = Path(__file__).parent / "cases" / "green"
SETTINGS = {
    "models": {
        f"my/{name}": {"provider": "scripted", "options": {"answers": f"{file}.yaml"}}
        for name, file in (("m", "answers"), ("judge", "judge"), ("other", "answers"))
    }
}
KINDS = ("model", "replay")
"""Who answers in the sessions and baselines that are compared."""


class Said(NamedTuple):
    """What a door said."""

    code: int
    text: str


def read_cases() -> Iterator[dict[str, Any]]:
    """Yield the cases of all files but the bases."""
    for file in sorted(CASES.glob("*.yaml")):
        if file.stem not in ("bases", "reasons"):
            yield from yaml.safe_load(file.read_text("utf-8"))


def read_bases() -> dict[str, dict[str, Any]]:
    """Return the workspaces that cases change."""
    bases = yaml.safe_load((CASES / "bases.yaml").read_text("utf-8"))
    assert isinstance(bases, dict)
    return bases


def read_reasons() -> dict[str, dict[str, Any]]:
    """Return why a door may stay green, and the line that it must print then (`says`)."""
    reasons = yaml.safe_load((CASES / "reasons.yaml").read_text("utf-8"))
    assert isinstance(reasons, dict)
    return reasons


def build(root: Path, base: Mapping[str, Any]) -> None:
    """Write a workspace, record its tests, run it with its model and as a replay, and keep both
    sessions as baselines. One stands in `root`."""
    files = dict(base["files"])
    checker = files.get("t/checker/checker.py", "").encode()
    settings = yaml.safe_load(files.pop("lve.yaml", "{}").replace("<sha256>", _sum(checker)))
    files["lve.yaml"] = yaml.safe_dump({**SETTINGS, **settings})
    files.setdefault("judge.yaml", "default: none")
    for name, content in files.items():
        write(root / name, content)
    for test in sorted(path.parent for path in root.glob("**/test.yaml")):
        for args in base.get("rows", [[]]) if test.name == "t" else [[]]:
            _good(lve("record", test.relative_to(root), "--to", "x", "-y", *args, *_roles(base)))
    for kind in KINDS:
        _good(lve("run", ".", *_asking(base, kind)))
        _good(lve("compare", "--save", f"{kind}.baseline.json"))
        (root / kind).write_text(_last_session(root), "utf-8")


def change(root: Path, steps: list[Mapping[str, Any]], trusts: str | None = None) -> None:
    """Change the files of a workspace, and trust the code of one as it is then.

    Each step has `file` and what becomes of it: `replace` (text -> text; each must occur), `write`,
    `delete`, `rename`, or `lines` (number -> key -> value; null removes a line of JSON).
    """
    for step in steps:
        (file,) = root.glob(step["file"]) if "write" not in step else (root / step["file"],)
        if "write" in step:
            write(file, step["write"])
        elif "rename" in step:
            file.rename(root / step["rename"])
        elif "delete" in step:
            _delete(file)
        elif "lines" in step:
            _change_lines(file, step["lines"])
        for before, after in step.get("replace", {}).items():
            text = file.read_text("utf-8")
            assert before in text, f"{before!r} isn't in {text}"
            file.write_text(text.replace(before, after), "utf-8")
    if trusts is not None:
        settings = root / "lve.yaml"
        known = yaml.safe_load(settings.read_text("utf-8"))
        known["trust"][0]["sha256"] = _sum((root / trusts).read_bytes())
        settings.write_text(yaml.safe_dump(known), "utf-8")


def write(file: Path, content: str | bytes) -> None:
    """Write a file, and the folders that it needs."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())


class Doors:
    """What a change has to pass."""

    def __init__(
        self, pytester: pytest.Pytester, base: Mapping[str, Any], case: Mapping[str, Any]
    ) -> None:
        """Args:
        pytester: its folder is the workspace, and one stands in it.
        base: the workspace before the change.
        case: may have `with`, who answers in the runs that are compared, and `options`, of a run.
        """
        self._pytester = pytester
        self._base = base
        self._kind = case.get("with", "model")
        self._options = tuple(case.get("options", ()))
        self._last = ""
        self.all: Mapping[str, Callable[[], Said]] = {
            "check": lambda: self._say("check", "."),
            "recorded": lambda: self._say("check", ".", "--recorded"),
            "unit-test": lambda: self._say("check", "--replay", "."),
            "replay": lambda: self._say("run", ".", "-m", "replay", *self._options),
            "pytest": self._pytest,
            "baseline": self._baseline,
            "compare": self._compare,
        }

    def _say(self, *arguments: str) -> Said:
        result = CliRunner().invoke(cli, [*arguments], standalone_mode=False)
        error = result.exception
        if error is None:
            return Said(int(result.return_value or 0), result.output)
        assert isinstance(error, LveError | ClickException), result.output + repr(error)
        if isinstance(error, ClickException):
            return Said(error.exit_code, f"{result.output}{error.format_message()}")
        return Said(int(exit_code_of(error)), f"{result.output}{error.message_with_code}")

    def _pytest(self) -> Said:
        result = run_apart(self._pytester, ".", "--lve-replay", "-rs")
        return Said(int(result.ret), str(result.stdout) + str(result.stderr))

    def _baseline(self) -> Said:
        file = f"{self._kind}.baseline.json"
        asking = _asking(self._base, self._kind)
        self._last = _last_session(self._pytester.path)
        return self._say("run", ".", *asking, "--baseline", file, *self._options)

    def _compare(self) -> Said:
        """Compare what the run of `baseline` has left with the session before the change."""
        before = (self._pytester.path / self._kind).read_text("utf-8")
        if _last_session(self._pytester.path) == self._last:
            return Said(ExitCode.invalid, "nothing has run, so there is nothing to compare")
        return self._say("compare", before, "last", "--gate")


@contextmanager
def standing_in(folder: Path) -> Iterator[None]:
    """Stand in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield


def _asking(base: Mapping[str, Any], kind: str) -> list[str]:
    return ["-m", "replay"] if kind == "replay" else _roles(base)


def _roles(base: Mapping[str, Any]) -> list[str]:
    return list(base.get("roles", ()))


def _good(result: Any) -> None:
    assert result.exit_code == 0, result.output + str(result.exception)


def _last_session(root: Path) -> str:
    return max(folder.name for folder in (root / ".lve" / "runs").iterdir())


def _sum(content: bytes) -> str:
    return sha256(content).hexdigest()


def _delete(path: Path) -> None:
    if path.is_dir():
        for inner in path.iterdir():
            _delete(inner)
        path.rmdir()
    else:
        path.unlink()


def _change_lines(file: Path, lines: Mapping[int, Mapping[str, Any] | None]) -> None:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for number, fields in lines.items():
        rows[number - 1] = None if fields is None else {**rows[number - 1], **fields}
    text = "".join(json.dumps(row) + "\n" for row in rows if row is not None)
    file.write_text(text, "utf-8")
