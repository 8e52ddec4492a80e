"""Sends hostile folders through the doors of lve and says what went wrong."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hostile.recipes import Case, Traps, build, text_of
from support.forked import python

TESTS = Path(__file__).parents[1]
KEY = "sk-canary-4f9c2e7b1d8a6035"
SECRET = "the-text-outside-73b1c9"
CPU_SECONDS = 25.0
MEMORY_MB = 500.0
WALL_SECONDS = 120.0
OUTPUT_BYTES = 3_000_000
"""A hostile folder must not flood a log either. Its model's answers, which `-v` shows, aside."""
WRITTEN_BYTES = 50_000_000
"""Larger files in `.lve/` are a case's own."""
LINE_LETTERS = 2_000_000
APP = {
    "lve.yaml": "files: [app, linked]\n",
    "app/greet.txt": "Say hello\n",
    "app/out.txt": {"link": "__OUTSIDE__"},
    "app/inner.txt": {"link": "greet.txt"},
    "app/zero.txt": {"link": "/dev/zero"},
    "app/environ.txt": {"link": "/proc/self/environ"},
    "app/loop.txt": {"link": "loop.txt"},
    "app/up": {"link": ".."},
    "app/pipe.txt": {"fifo": True},
    "app/folder.txt": {"folder": True},
    "app/endless.txt": {"sparse": 100_000_000_000},
    "linked": {"link": "../"},
}
"""An application whose files the settings allow. None but `greet.txt` may be read."""
GOOD = {
    "test.yaml": "description: A test that passes.\nmodel: dummy/dummy\n"
    "prompt: [{content: 'Compute {a} + {b}'}]\nprompt_parameters: [a, b]\n"
    "checker_args: {checker_name: LambdaChecker, func: 'lambda r, a, b: len(r) > 0'}\n",
    "instances/all.jsonl": '{"args": {"a": 1, "b": 3}}\n',
}
# What a terminal obeys, and what runners of continuous integration obey.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_COMMAND = re.compile(r"^\s*(::[a-zA-Z_-]+[^\n]*::|##\[)|##(vso|teamcity)\[", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    exit: int
    """A signal's number, negative, if it was killed."""
    cpu_s: float
    memory_mb: float
    """The largest process."""
    wall_s: float
    found: list[str]
    """Of the audit hook."""
    out: str
    err: str

    @property
    def text(self) -> str:
        """Everything that it printed."""
        return self.out + self.err


class Doors:
    """Runs the commands, each in a process of its own."""

    def __init__(self, place: Path, model_port: int) -> None:
        self.place = place
        self.model_port = model_port

    def run(self, workspace: Path, case: Case, argv: list[str]) -> Outcome:
        """Run a command and return what it did; kill it when its time is up."""
        out, err, report = (self.place / name for name in ("out", "err", "report"))
        job = {
            "argv": argv,
            "workspace": str(workspace),
            "folder": str(workspace / "tests"),
            "port": self.model_port,
            "readable": [str(workspace.parent / "tmp")],
            "report": str(report),
        }
        report.write_bytes(b"")
        words = [*python(), "-m", "hostile.watched", json.dumps(job)]
        started = time.monotonic()
        with out.open("wb") as stdout, err.open("wb") as stderr:
            command = subprocess.Popen(
                words,
                cwd=workspace / case.cwd,
                env={**_environment(workspace), **case.env, "PYTHONPATH": str(TESTS)},
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )
        with suppress(subprocess.TimeoutExpired):
            command.wait(WALL_SECONDS)
        wall_s = time.monotonic() - started
        command.kill()
        code = command.wait()
        group, *found = map(json.loads, report.read_text("utf-8").splitlines() or ["0"])
        if int(group):
            with suppress(ProcessLookupError):  # whatever it left behind
                os.killpg(int(group), signal.SIGKILL)
        cpu_s, memory_mb = json.loads(found.pop()) if code >= 0 else (0.0, 0.0)
        texts = [_beginning(file) for file in (out, err)]
        return Outcome(code, cpu_s, memory_mb, wall_s, found, *texts)


def _beginning(file: Path) -> str:
    with file.open("rb") as stream:
        return stream.read(8 * OUTPUT_BYTES).decode("utf-8", "replace")


def _environment(workspace: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(workspace.parent / "home"),
        "TMPDIR": str(workspace.parent / "tmp"),
        "LANG": "C.UTF-8",
        "OPENAI_API_KEY": KEY,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


@contextmanager
def hostile_workspace(place: Path, case: Case, address: str) -> Iterator[tuple[Path, Traps]]:
    """Make a workspace with the hostile folder between two good ones."""
    for folder in ("home", "tmp"):
        (place / folder).mkdir(parents=True)
    traps = Traps(place / "canary", place / "outside.txt", address)
    traps.outside.write_text(f"{SECRET}\n")
    workspace = place / "ws"
    folders = {"a_good": GOOD, "z_good": GOOD, **case.folders}
    build_all(workspace, folders, traps)
    yield workspace, traps
    remove(workspace)


def remove(workspace: Path) -> None:
    """Remove a workspace: pytest, later, can't remove folders deeper than Python's stack."""
    subprocess.run(["rm", "-rf", str(workspace)], check=True)


def build_all(workspace: Path, folders: Mapping[str, Mapping[str, Any]], traps: Traps) -> None:
    """Make a workspace of test folders: name -> files."""
    (workspace / "tests").mkdir(parents=True)
    (workspace / ".lverepo").write_text("")
    build(workspace, APP, traps)
    for name in ("secret.txt", "app/.hidden.txt", ".hidden.txt"):
        (workspace / name).write_text(f"{SECRET}\n")
    for name, files in folders.items():
        folder = workspace / "tests" / name
        folder.mkdir()
        build(folder, files, traps)


def argv_of(door: str, case: Case, base_url: str) -> list[str]:
    """Return the command for a door."""
    more = case.args.get(door, [])
    model = ["--model", f"openai/{case.id}", "--base-url", base_url]
    limits = ["--timeout", "20", "--deadline", "40"]
    match door:
        case "run":
            return ["lve", "run", "tests", *model, *limits, "-v", *more]
        case "pytest":
            options = ["--lve-model", model[1], "--lve-base-url", base_url]
            plugins = ["-p", "lve.pytest_plugin", "-p", "no:cacheprovider"]
            plain = [*plugins, "--continue-on-collection-errors"]
            # The process that forks it has imported the plugin before pytest could rewrite it.
            quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
            return ["pytest", "tests", "-rA", *plain, *quiet, *options, *more]
        case "render":
            return ["lve", "render", "tests", "-n", "1", *more]
        case _:
            return ["lve", door, "tests", *more]


def problems_of(
    door: str, case: Case, outcome: Outcome, workspace: Path, traps: Traps
) -> list[str]:
    """Return everything that a hostile folder achieved and must not."""
    return [
        *_ended_badly(outcome),
        *(f"audit: {line}" for line in outcome.found),
        *_escaped(outcome, workspace, traps),
        *_raw(outcome, shown=len(case.folders) * len(text_of(case.answer, traps))),
        *(_good_test_left_out(door, outcome, workspace) if case.good else ()),
    ]


def _ended_badly(outcome: Outcome) -> Iterator[str]:
    if outcome.exit not in range(6):
        yield f"ended with {outcome.exit}"
    if "Traceback (most recent call last)" in outcome.text or "INTERNALERROR" in outcome.text:
        yield "a traceback"
    if "this is a bug in lve" in outcome.text:
        yield "an exception that nobody expected"
    if outcome.cpu_s > CPU_SECONDS:
        yield f"took {outcome.cpu_s:.1f} s of CPU"
    if outcome.wall_s > WALL_SECONDS / 2:
        yield f"took {outcome.wall_s:.1f} s"
    if outcome.memory_mb > MEMORY_MB:
        yield f"took {outcome.memory_mb:.0f} MB"


def _escaped(outcome: Outcome, workspace: Path, traps: Traps) -> Iterator[str]:
    if traps.canary.exists():
        yield "the canary: code of the folder ran"
    written = [("the output", outcome.text)]
    state = workspace / ".lve"
    for file in () if state.is_symlink() else state.rglob("*"):
        if file.is_file() and not file.is_symlink() and file.stat().st_size < WRITTEN_BYTES:
            written.append((file.name, file.read_bytes().decode("latin-1")))
    for where, text in written:
        if SECRET in text:
            yield f"a text from outside is in {where}"
        if KEY in text or base64.b64encode(KEY.encode()).decode().rstrip("=") in text:
            yield f"the key is in {where}"


def _raw(outcome: Outcome, shown: int) -> Iterator[str]:
    text = _COLOUR.sub("", outcome.text)
    if found := _CONTROL.search(text):
        yield f"a control character: {text[max(0, found.start() - 40) : found.end() + 20]!r}"
    if found := _COMMAND.search(text):
        yield f"a command for a runner: {found.group()!r}"
    if len(text) > OUTPUT_BYTES + shown:
        yield f"{len(text):,} characters of output"
    longest = max(map(len, text.splitlines()), default=0)
    if longest > LINE_LETTERS:
        yield f"a line of {longest:,} characters"


def _good_test_left_out(door: str, outcome: Outcome, workspace: Path) -> Iterator[str]:
    if door == "run":
        ran = {line["test"] for line in journal(workspace) if line["verdict"] == "passed"}
        missing = {"tests/a_good", "tests/z_good"} - ran
        if missing:
            yield f"did not run: {', '.join(sorted(missing))}"
    if door == "pytest":
        missing = [
            name for name in ("a_good", "z_good") if f"PASSED tests/{name}/" not in outcome.out
        ]
        if missing:
            yield f"did not run: {', '.join(missing)}"
    if door == "render" and outcome.out.count("Compute 1 + 3") < 2:
        yield "the good tests were not rendered"


def journal(workspace: Path) -> list[Mapping[str, Any]]:
    """Return the results of the latest session."""
    sessions = sorted((workspace / ".lve" / "runs").glob("*/results*.jsonl"))
    return [json.loads(line) for line in sessions[-1].read_bytes().splitlines()] if sessions else []


def verdicts_of(case: Case, workspace: Path) -> set[str]:
    """Return what `lve run` made of the hostile tests: `invalid` if one did not run."""
    found: dict[str, set[str]] = {f"tests/{name}": set() for name in case.folders}
    for line in journal(workspace):
        if line["test"] in found:
            found[line["test"]].add(line["verdict"])
    return {verdict for verdicts in found.values() for verdict in verdicts or {"invalid"}}


def answers(cases: list[Case], traps: Traps) -> dict[str, str]:
    """Return what each case's model says."""
    return {case.id: text_of(case.answer, traps) for case in cases}
