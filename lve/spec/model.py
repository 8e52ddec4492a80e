"""What a test document says, as frozen values. Everything here has been validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from lve.documents.places import Position
from lve.messages import Message


@dataclass(frozen=True, slots=True)
class PromptSource:
    """Where the messages of one prompt come from: `messages` or `file`, never both."""

    position: Position
    messages: tuple[Message, ...] | None = None
    """As written in the test document, nothing appended."""
    message_positions: tuple[Position, ...] = ()
    """One per message."""
    file: Path | None = None
    """A `.prompt` file (absolute path); `lve.prompts` reads it."""
    name: str | None = None
    repetitions: int = 1


@dataclass(frozen=True, slots=True)
class CheckerConfig:
    """One checker of a test: its name and arguments, not yet filled."""

    name: str
    args: Mapping[str, Any]
    position: Position


@dataclass(frozen=True, slots=True)
class Expectation:
    """What should come out. `pass`: every instance passes. `fail`: every instance fails (a known
    weakness). `rate`: the pass rate compares with `threshold` at `confidence`."""

    kind: Literal["pass", "fail", "rate"] = "pass"
    comparison: Literal[">=", ">", "<=", "<"] = ">="
    threshold: float = 1.0
    confidence: float = 0.95
    max_repeats: int = 30

    @property
    def wanted(self) -> Literal["passed", "failed"]:
        """The verdict of an instance that speaks for it."""
        return "failed" if self.kind == "fail" else "passed"

    @property
    def unwanted(self) -> Literal["passed", "failed"]:
        """The verdict of an instance that speaks against it."""
        return "passed" if self.kind == "fail" else "failed"


@dataclass(frozen=True, slots=True)
class Example:
    """An answer that must pass or must fail: it proves the checker, offline."""

    verdict: Literal["passed", "failed"]
    responses: tuple[str | Mapping[str, str], ...]
    """One per run: a text, or variable -> text."""
    args: Mapping[str, Any]
    position: Position
    reference: Any = None


@dataclass(frozen=True, slots=True)
class Tag:
    """A name and a value, such as severity: high."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Spec:
    """One test: a folder with `test.json` or `test.yaml`."""

    file: Path
    """The test document (absolute)."""
    root: Path
    """The workspace root (absolute)."""
    path: str
    """The test folder relative to the root, with `/`."""
    category: str
    """As in the LVE repository: the folder below `repository/`."""
    name: str
    description: str
    models: tuple[str, ...] = ()
    """Empty: given on the command line or in settings."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    prompts: tuple[PromptSource, ...] = ()
    is_multi_run: bool = False
    parameters: tuple[str, ...] = ()
    parameter_types: Mapping[str, Literal["int", "float"]] = field(default_factory=dict)
    checkers: tuple[CheckerConfig, ...] = ()
    pass_when: Literal["all", "any"] = "all"
    author: str | None = None
    tags: tuple[Tag, ...] = ()
    expect: Expectation = field(default_factory=Expectation)
    repeats: int = 1
    timeout_s: float | None = None
    examples: tuple[Example, ...] = ()
    skip: str | None = None
    """Why the test is skipped."""
    dataset: Any = None
    """The `dataset` key: a file name, or an object (`lve.data.dataset` gives its meaning)."""
    dialect: Literal["opencompass", "aisbench"] | None = None
    reader_cfg: Mapping[str, Any] | None = None
    infer_cfg: Mapping[str, Any] | None = None
    prompt_object: Any = None
    """A prompt object's fields, or the file (in the test folder) that holds them."""
    output_schema: Any = None
    """JSON Schema of a prompt object's answers, or the file that holds it."""
    repair: bool = False
    """Whether an answer that can't be used is asked for once more."""
    warnings: tuple[str, ...] = ()
    """Deprecated keys and the like, ready to print."""

    @property
    def folder(self) -> Path:
        """The test folder (absolute)."""
        return self.file.parent


@dataclass(slots=True)
class Recorded:
    """What an instance file says of an earlier execution."""

    responses: tuple[str | Mapping[str, str], ...]
    """One per run: a text, or variable -> text."""
    passed: bool | None
    author: str | None = None
    run_info: Mapping[str, Any] = field(default_factory=dict)
    prompt_out: Any = None
    score: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further keys, kept as they are (`test_path`, `prompt`, ...)."""


@dataclass(slots=True)
class Instance:
    """One set of args of a test."""

    args: Mapping[str, Any]
    """As in the file: parameters and model args together."""
    parameters: Mapping[str, Any]
    """Fills the prompt."""
    model_args: Mapping[str, Any]
    """Goes to the model, without nulls."""
    source: str
    """Where it stands, relative to the test folder: `instances/x.jsonl` or the data set's file."""
    line: int
    """From 1."""
    recorded: Recorded | None = None
    reference: Any = None
    """The value of the output column, for checkers."""
    position: int | None = None
    """From 0: which test row of the data set it is. Only where the test has `infer_cfg`."""
