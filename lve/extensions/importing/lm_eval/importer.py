"""Imports tasks of lm-evaluation-harness: runs its dump, and makes tests of the lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lve.data_classes import dataclass, field
from lve.errors import Problem, UsageError
from lve.escape import PlacedWarning, excerpt, head
from lve.extensions.importing.boxes.box import TOOLS, BoxError, BoxOptions, run_in_box
from lve.extensions.importing.certificate import sha256, with_certificate
from lve.extensions.importing.folders import Names
from lve.extensions.importing.groups import Memberships
from lve.extensions.importing.lm_eval.documents import ROWS, tests_of
from lve.extensions.importing.lm_eval.groups import scores_of
from lve.extensions.importing.lm_eval.prove import prove
from lve.extensions.importing.lm_eval.records import (
    NoCounterpartError,
    RecordError,
    Task,
    TaskGroup,
    check_row,
    group_of,
    task_of,
)
from lve.extensions.importing.proof import FORMS, PROVEN_ROWS, RATED, Proof, ProvenTests
from lve.files.inside import DOCUMENT_BYTES, read_regular
from lve.importers import Imported, ImportedTest
from lve.json_types import JsonObject, JsonValue
from lve.workspace import display_path

HERE = Path(__file__).parent
TOOL = TOOLS["lm-eval"]
DUMP = HERE / "dump.py"
TASK_S = 120
"""Seconds for one task."""
MAX_TASKS = 5_000
_INSIDE = "/lm_eval/tasks/"


def read_tasks(path: Path) -> Imported:
    """Return the tests of a task file, or of a folder of them.

    Args:
        path: a YAML file, or a folder.

    Raises:
        UsageError: the harness isn't set up, or can't read it.
    """
    return read_with(str(path), BoxOptions())


def read_with(source: str, options: BoxOptions) -> TaskTests:
    """Return the tests of a file, a folder, or of tasks of the harness.

    Args:
        source: a YAML file, a folder, or the name of a task, a group or a tag; `*` stands for any
            characters.
        options: what the user allows.

    Raises:
        UsageError: the harness isn't set up, or has no such task.
    """
    place = Path(source).absolute()
    is_path = place.exists()
    folder = None if not is_path else place if place.is_dir() else place.parent
    request = {
        "name": source,
        "path": str(place) if is_path else None,
        "limit": options.limit,
        "task_s": TASK_S,
        "prove": {"count": PROVEN_ROWS, "forms": FORMS, "rated": RATED} if options.prove else None,
    }
    lines = run_in_box(TOOL, DUMP, request, options, folder=folder)
    return TaskImport(source).read(lines)


@dataclass(frozen=True, slots=True)
class TaskTests(ProvenTests):
    """Imported tests of the harness."""

    origins: Mapping[str, tuple[Task, Mapping[str, str]]] = field(default_factory=dict)
    """Folder of a test -> its task, and the names of its metrics and filters -> what reports
    have of them."""
    version: str = ""

    def proofs(self, folder: Path) -> Iterator[tuple[str, Proof]]:
        for home, (task, scores) in self.origins.items():
            proof = prove(folder / home, scores, task)
            proof.tool = {"tool": TOOL.name, "version": self.version}
            yield home, proof


class TaskImport:
    """Makes tests of the lines of the dump."""

    def __init__(self, source: str) -> None:
        """Args:
        source: what is imported, for messages.
        """
        self._source = source
        self._version = ""
        self._names = Names()
        self._tests: list[ImportedTest] = []
        self._origins: dict[str, tuple[Task, Mapping[str, str]]] = {}
        self._groups: list[TaskGroup] = []
        self._tasks_by_name: dict[str, Task] = {}
        self._members: dict[tuple[str, str], tuple[str, str]] = {}
        self._left_out: dict[str, list[str]] = {}
        """Why -> the files."""

    def read(self, lines: Iterable[JsonObject]) -> TaskTests:
        """Return the tests, and what is left out.

        Raises:
            UsageError: the source names no task.
        """
        try:
            for task in self._tasks(lines):
                self._add(task)
        except BoxError as error:
            self._leave_out(self._source, f"the rest: lm-eval {error}")
        tests, origins = list(self._with_groups()), self._origins
        left_out = list(self._sentences())
        return TaskTests(tests, left_out, origins=origins, version=self._version)

    def _tasks(self, lines: Iterable[JsonObject]) -> Iterator[Task]:
        task: Task | None = None
        count, is_complete = 0, False
        for line in lines:
            kind = line.get("kind")
            try:
                is_of_task = task is not None and line.get("task") == task.name
                if task is not None and is_of_task and kind in ("scripted", "aggregated"):
                    (task.scripted if kind == "scripted" else task.aggregated).append(line)
                    continue
                if task is not None and is_of_task and kind == "row":
                    check_row(task, line)
                    task.rows.append(line)
                    continue
                if task is not None:
                    yield task
                task = None
                if kind == "task":
                    count += 1
                    task = task_of(line)
                    self._tasks_by_name[task.name] = task
                if kind == "group" and len(self._groups) < MAX_TASKS:
                    self._groups.append(group_of(line))
            except RecordError as error:
                name = str(line.get("task") or line.get("group"))
                self._leave_out(task.file if task else name, f"{kind} of {excerpt(name)}: {error}")
            if count > MAX_TASKS:
                raise UsageError(f"the source has more than {MAX_TASKS:,} tasks", code="over_limit")
            is_complete = kind == "end"
            self._note(line)
        if task is not None:
            yield task
        if not is_complete:
            raise BoxError("has ended without an end")

    def _note(self, line: JsonObject) -> None:
        match line.get("kind"):
            case "tool":
                self._version = head(str(line.get("version")), 40)
            case "left_out":
                name, why = excerpt(str(line.get("task"))), excerpt(str(line.get("why")), 300)
                self._leave_out(str(line.get("file")), f"the task {name}: {why}")
            case "unknown":
                raise UsageError(
                    f"lm-eval {self._version} has no task {excerpt(str(line.get('name')))}: "
                    "`*` stands for any characters, and a file or folder has a path",
                    code="unknown_name",
                )

    def _add(self, task: Task) -> None:
        if not task.rows:
            self._leave_out(task.file, f"the task {excerpt(task.name)}: it has no rows")
            return
        source = self._source_of(task)
        home = self._names.new(task.name, "task")
        try:
            parts = list(tests_of(task, source))
            usable = [part for part in parts if not isinstance(part, NoCounterpartError)]
            for part in parts:
                if isinstance(part, NoCounterpartError):
                    self._leave_out(task.file, f"of the task {excerpt(task.name)}, {part}")
                    continue
                scores, document, rows = part
                name = Names().new(next(iter(scores)), "metric")
                folder = f"{home}/{name}" if len(usable) > 1 else home
                self._origins[folder] = (task, scores)
                if rows.count("\n") == len(task.rows):
                    self._members |= {(task.name, k): (folder, of) for k, of in scores.items()}
                self._tests.append(ImportedTest(folder, document, {ROWS: rows}))
        except (NoCounterpartError, RecordError) as error:
            self._leave_out(task.file, f"the task {excerpt(task.name)}: {error}")

    def _with_groups(self) -> Iterator[ImportedTest]:
        """Yield the tests, with the groups that they are part of."""
        memberships = Memberships()
        for group in self._groups:
            for score in scores_of(group, self._tasks_by_name, self._members):
                why = score if isinstance(score, NoCounterpartError) else memberships.add(score)
                if why:
                    self._leave_out(group.file, f"of the group {excerpt(group.name)}, {why}")
        for test in self._tests:
            document = {**test.document, **memberships.keys_of(test.folder)}
            whole = ImportedTest(test.folder, document, test.files)
            yield with_certificate(whole, rows=str(test.files[ROWS]).count("\n"))

    def _source_of(self, task: Task) -> JsonObject:
        shown = str(_shown(task.file))
        source: dict[str, JsonValue] = {
            "tool": TOOL.name,
            "version": self._version,
            "task": task.name,
            "file": shown,
            "line": 1,
        }
        if task.version:
            source["task_version"] = task.version
        try:
            return {**source, "sha256": sha256(read_regular(task.file, DOCUMENT_BYTES))}
        except OSError:
            return source

    def _leave_out(self, file: str, why: str) -> None:
        self._left_out.setdefault(why, []).append(file)

    def _sentences(self) -> Iterator[str]:
        for why, files in self._left_out.items():
            more = f" ({len(files):,} times)" if len(files) > 1 else ""
            message, place = f"left out: {why}{more}", _shown(files[0])
            yield PlacedWarning(Problem(message, place, 1, severity="warning", code="importer"))


def _shown(file: str) -> Path:
    """Return a file as messages and documents name it: those of the harness without its place."""
    _, inside, name = file.rpartition(_INSIDE)
    return Path("lm_eval/tasks", name) if inside else display_path(Path(file))
