"""The content of a test document as validated, frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from lve.documents.places import JsonPath
from lve.documents.read import DocumentPosition
from lve.messages import Message, ToolCall
from lve.spec.simulated_user import SimulatedUser
from lve.spec.tools import ToolUse

SOURCES = ("path", "rows", "hub")
"""Keys of a `dataset` that is one source of rows. Any other object has splits."""
SHARED = ("subset", "split", "format", "columns", "where", "limit", "sample", "shuffle", "seed")
"""Keys beside them that say what is taken from the source, or from each split."""


class PromptSource(NamedTuple):
    """One prompt of a test: either its `messages` or its `file`."""

    position: DocumentPosition
    messages: tuple[Message, ...] | None = None
    """The messages as written in the test document."""
    message_positions: tuple[DocumentPosition, ...] = ()
    """One per message."""
    file: Path | None = None
    """A `.prompt` file (absolute path); `lve.prompts` reads it."""
    name: str | None = None
    repetitions: int = 1


class CheckerConfig(NamedTuple):
    """One checker of a test: its name, and its arguments before they are filled in."""

    name: str
    args: Mapping[str, Any]
    position: DocumentPosition
    path: JsonPath = ()
    """Where its arguments stand in the test document."""


class Expectation(NamedTuple):
    """The expected outcome of a test. `pass`: every instance passes. `fail`: every instance fails
    (a known weakness). `rate`: the pass rate compares with `threshold` at `confidence`."""

    kind: Literal["pass", "fail", "rate"] = "pass"
    comparison: Literal[">=", ">", "<=", "<"] = ">="
    threshold: float = 1.0
    confidence: float = 0.95
    max_repeats: int = 100
    claim: Literal["these", "population"] = "these"
    """What the rate is said of: these instances, or all that they are a sample of."""
    cluster: str | None = None
    """Column whose equal values make instances one cluster. None: each instance is one."""
    has_alike_repeats: bool = False
    """Whether the model args make repeats give nearly the same answers: temperature 0, a seed. As
    loaded, by the document's alone; `lve.pipeline.model_args.for_model` knows the others."""

    @property
    def counts_clusters(self) -> bool:
        """Whether the rate counts instances, or clusters of them, once each; not their repeats."""
        return self.claim == "population" or self.has_alike_repeats

    @property
    def wanted(self) -> Literal["passed", "failed"]:
        """The verdict of an instance that meets the expectation."""
        return "failed" if self.kind == "fail" else "passed"

    @property
    def unwanted(self) -> Literal["passed", "failed"]:
        """The verdict of an instance that doesn't."""
        return "passed" if self.kind == "fail" else "failed"

    @property
    def in_words(self) -> str:
        """What is expected: `pass`, `fail`, or `pass rate >= 0.9 (confidence 0.95)`."""
        if self.kind != "rate":
            return self.kind
        whose = " of instances like these" if self.claim == "population" else ""
        wanted = f"{self.comparison} {self.threshold:g} (confidence {self.confidence:g})"
        return f"pass rate{whose} {wanted}"


class Example(NamedTuple):
    """An answer that must pass or must fail, to test the checker offline."""

    verdict: Literal["passed", "failed"]
    responses: tuple[str | Mapping[str, str], ...]
    """One per run: a text, or variable -> text."""
    args: Mapping[str, Any]
    position: DocumentPosition
    reference: Any = None
    tool_calls: tuple[ToolCall, ...] = ()
    """What the model asked for before its last answer."""


class ForModel(NamedTuple):
    """What a test says for one of its models alone; None where what it says for all holds."""

    args: Mapping[str, Any] = {}
    """Model args; each wins over the one of that name for all."""
    repeats: int | None = None
    expect: Expectation | None = None
    expect_position: DocumentPosition | None = None
    timeout_s: float | None = None


class Tag(NamedTuple):
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
    """The folder below `repository/`, as in the LVE repository."""
    name: str
    description: str
    models: tuple[str, ...] = ()
    """Empty if the command line or the settings choose the model."""
    for_models: Mapping[str, ForModel] = field(default_factory=dict)
    """Model -> what holds for it alone. `for_model` gives the test with it."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """Those for all models. `args_for` gives those for one."""
    prompts: tuple[PromptSource, ...] = ()
    is_multi_run: bool = False
    parameters: tuple[str, ...] = ()
    parameter_types: Mapping[str, Literal["int", "float"]] = field(default_factory=dict)
    checkers: tuple[CheckerConfig, ...] = ()
    pass_when: Literal["all", "any"] = "all"
    author: str | None = None
    tags: tuple[Tag, ...] = ()
    expect: Expectation = field(default_factory=Expectation)
    expect_position: DocumentPosition | None = None
    """None if the test says nothing about it."""
    repeats: int = 1
    roles: tuple[str, ...] = ()
    """Roles that need a model: those that the test names, and those that its checkers ask."""
    timeout_s: float | None = None
    examples: tuple[Example, ...] = ()
    skip: str | None = None
    """Why the test is skipped."""
    dataset: Any = None
    """The `dataset` key: a file name or an object; `lve.data.dataset` interprets it."""
    dialect: Literal["opencompass", "aisbench"] | None = None
    reader_cfg: Mapping[str, Any] | None = None
    infer_cfg: Mapping[str, Any] | None = None
    prompt_object: Any = None
    """A prompt object, or the name of its file in the test folder."""
    output_schema: Any = None
    """JSON Schema of a prompt object's answers, or the name of its file."""
    tools: ToolUse | None = None
    """The tools that the model may ask for; None: none."""
    simulated_user: SimulatedUser | None = None
    """Who goes on with the conversation; None: the prompt is all of it."""
    repair: bool = False
    """Whether to ask again if an answer can't be used."""
    plugins: tuple[str, ...] = ()
    """Names of plugins that the settings let it use."""
    suites: Mapping[str, Path] = field(default_factory=dict)
    """Key (`repeats`, `default_model_args.seed`) -> the suite that it is from."""
    warnings: tuple[str, ...] = ()
    """Warnings about deprecated keys and the like, ready to print."""

    folder: Path = field(init=False, repr=False, compare=False)
    """The test folder (absolute). A field, because it is asked for often, and pathlib is slow."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", self.file.parent)

    def args_for(self, model: str) -> Mapping[str, Any]:
        """Return the model args that the test sets for a model."""
        own = self.for_models.get(model)
        return {**self.model_args, **own.args} if own is not None else self.model_args

    def expect_for(self, model: str) -> Expectation:
        """Return what the test expects of a model."""
        own = self.for_models.get(model)
        return self.expect if own is None or own.expect is None else own.expect

    def for_model(self, model: str) -> Spec:
        """Return the test with the expectation, repeats and timeout that it has for a model."""
        own = self.for_models.get(model)
        if own is None:
            return self
        return replace(
            self,
            expect=self.expect_for(model),
            expect_position=own.expect_position or self.expect_position,
            repeats=self.repeats if own.repeats is None else own.repeats,
            timeout_s=self.timeout_s if own.timeout_s is None else own.timeout_s,
        )


class RecordedTurn(NamedTuple):
    """What a model said in one of several steps, and what the tools answered that it asked for."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    results: tuple[str, ...] = ()
    """One per call; none if the conversation ended with the calls."""
    user: str | None = None
    """What the simulated user said to it; None if nothing."""


@dataclass(slots=True)
class Recorded:
    """The result of an earlier execution, recorded in an instance file."""

    responses: tuple[str | Mapping[str, str], ...]
    """One per run: a text, or variable -> text."""
    passed: bool | None
    author: str | None = None
    run_info: Mapping[str, Any] = field(default_factory=dict)
    prompt_out: Any = None
    score: float | None = None
    turns: tuple[tuple[RecordedTurn, ...], ...] = ()
    """Per run all that the model said, where it asked for tools or a simulated user went on; empty
    where there was nothing of both."""

    @property
    def is_handwritten(self) -> bool:
        """Whether a person wrote the answer, as `run_info` says."""
        return self.run_info.get("source") == "handwritten"


@dataclass(slots=True)
class Instance:
    """One set of args of a test."""

    args: Mapping[str, Any]
    """Parameters and model args together, as in the file."""
    parameters: Mapping[str, Any]
    """The values that fill the prompt."""
    model_args: Mapping[str, Any]
    """The args for the model, without nulls."""
    source: str
    """Its file, relative to the test folder: `instances/x.jsonl` or the data set's file."""
    line: int
    """From 1."""
    recorded: Recorded | None = None
    reference: Any = None
    """The value of the output column, for checkers."""
    position: int | None = None
    """Index of its row among the test rows of the data set. Only if the test has `infer_cfg`."""


def splits_in(dataset: object) -> Mapping[str, Any]:
    """Return name -> source of each split; nothing if the data set isn't divided into splits."""
    if not isinstance(dataset, Mapping) or any(key in dataset for key in SOURCES):
        return {}
    return {name: source for name, source in dataset.items() if name not in SHARED}
