"""The content of a test as values: `Spec`, its parts, and `Instance`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from lve.data_classes import dataclass, field
from lve.documents.position_types import JsonPath
from lve.documents.read import DocumentPosition
from lve.json_types import JsonObject
from lve.messages import Message, ToolCall
from lve.named_tuples import NamedTuple
from lve.settings.settings import AppFiles
from lve.spec.recorded_row import Recorded
from lve.spec.simulated_user import SimulatedUser
from lve.spec.tools import ToolUse

SOURCE_KEYS = ("path", "rows", "hub")
"""A `dataset` with one of these keys is a single source of rows. Any other object has splits."""
SELECTORS = ("subset", "split", "format", "columns", "where", "limit", "sample", "shuffle", "seed")
"""Keys of a `dataset` that select rows of its source, or of each split."""
Braces = Literal["single", "double"]


class PromptSource(NamedTuple):
    """One prompt of a test: either `messages` or a `file`."""

    position: DocumentPosition
    messages: tuple[Message, ...] | None = None
    """The messages in the test document."""
    message_positions: tuple[DocumentPosition, ...] = ()
    """One per message."""
    file: Path | None = None
    """Absolute path of a prompt file; `lve.prompts` reads it."""
    folder: Path | None = None
    """The folder of the application that the file must be in; None: the test's."""
    written: str | None = None
    """The file's name in the test document."""
    name: str | None = None
    repetitions: int = 1
    variant: str | None = None
    """Name of the variant that it is the prompt of (`prompts`)."""


class CheckerConfig(NamedTuple):
    """One checker of a test: its name, and its arguments before placeholders are filled."""

    name: str
    args: Mapping[str, Any]
    position: DocumentPosition
    path: JsonPath = ()
    """Path of its arguments in the test document."""


_BOUNDS = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}


class Expectation(NamedTuple):
    """The expected outcome of a test.

    * `pass`: every instance passes.
    * `fail`: every instance fails (a known weakness).
    * `rate`: the pass rate compares with `threshold`; `claim` says what the rate is that of.
    """

    kind: Literal["pass", "fail", "rate"] = "pass"
    comparison: Literal[">=", ">", "<=", "<"] = ">="
    threshold: float = 1.0
    confidence: float = 0.95
    max_repeats: int = 100
    claim: Literal["these", "population", "results"] = "these"
    """What the rate is said of. `these`: how often the model would pass these instances,
    `population`: others like them, both with `confidence`; `results`: this run, counted."""
    cluster: str | None = None
    """Instances with equal values in this column are one cluster. None: each is its own cluster."""
    has_alike_repeats: bool = False
    """Whether repeats give nearly equal answers (temperature 0, a seed): by the document's model
    args in `load_spec`, by all in `lve.pipeline.spec_for_model.for_model`."""
    number: int | None = None
    """With the claim `results`: how many results, instead of the share `threshold`."""
    max_errors: int = 0
    """With the claim `results`: how many results may be errors, which are then left out."""
    note: str = ""
    """What the document says in place of the pass rate, to be shown behind it."""

    @property
    def counts_results(self) -> bool:
        """Whether it is about this run's results: it says so, or asking again changes nothing."""
        is_alike = self.kind == "rate" and self.claim == "these" and self.has_alike_repeats
        return self.claim == "results" or is_alike

    def allows_errors(self, errors: int) -> bool:
        """Whether so many results may be errors, which then are no reason for the exit code 3."""
        return errors <= self.max_errors

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
        """The expectation as a text: `pass`, `fail`, or `pass rate >= 0.9 (confidence 0.95)`."""
        if self.kind != "rate":
            return self.kind
        if self.counts_results:
            return f"{self.wanted_rate} of the results pass"
        whose = " of rows like these" if self.claim == "population" else ""
        return f"pass rate{whose} {self.wanted_rate} (confidence {self.confidence:g})"

    @property
    def wanted_rate(self) -> str:
        """The rate that is expected: `>= 0.9`, `at least 90%`, `at least 42`."""
        if not self.counts_results:
            return f"{self.comparison} {self.threshold:g}{self.note}"
        share = f"{100 * self.threshold:g}%" if self.number is None else f"{self.number:,}"
        return f"{_BOUNDS[self.comparison]} {share}{self.note}"


class Example(NamedTuple):
    """An entry of `examples`: an answer that must pass or fail, to test the checkers offline."""

    verdict: Literal["passed", "failed"]
    responses: tuple[str | Mapping[str, str], ...]
    """One per run: a text, or variable -> text."""
    args: Mapping[str, Any]
    position: DocumentPosition
    reference: Any = None
    tool_calls: tuple[ToolCall, ...] = ()
    """The tools that the model called before its last answer."""


class ForModel(NamedTuple):
    """What a test says for one of its models alone. None means that the test's own value holds."""

    args: Mapping[str, Any] = {}
    """Model args; they override the test's own."""
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
    """Model -> what holds for it alone; `for_model` applies it."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """Model args for all models; `args_for` returns those for one model."""
    prompts: tuple[PromptSource, ...] = ()
    """Those of all variants, unless it is a single `variant`."""
    variants: tuple[str, ...] = ()
    """Names of its variants; empty if it has none."""
    variant: str | None = None
    """The variant that this is; `lve.spec.prompt_sources.each_variant` makes them."""
    is_multi_run: bool = False
    parameters: tuple[str, ...] = ()
    parameter_types: Mapping[str, Literal["int", "float"]] = field(default_factory=dict)
    checkers: tuple[CheckerConfig, ...] = ()
    pass_when: Literal["all", "any"] = "all"
    author: str | None = None
    tags: tuple[Tag, ...] = ()
    by: tuple[str, ...] = ()
    """Columns and tags by whose values reports have rates."""
    groups: tuple[JsonObject, ...] = ()
    attacks: Mapping[str, object] = field(default_factory=dict)
    """Its keys `attacks` and `benign`, as far as it has them."""
    attack: str | None = None
    """What this variant is in attacks on the test: one of them, `none` or `benign`."""
    expect: Expectation = field(default_factory=Expectation)
    expect_position: DocumentPosition | None = None
    """None if the test has no `expect`."""
    repeats: int = 1
    roles: tuple[str, ...] = ()
    """Roles that need a model: those in its `roles`, of its checkers and its simulated user."""
    timeout_s: float | None = None
    examples: tuple[Example, ...] = ()
    allow_changes: tuple[str, ...] = ()
    """Names of the changes of answers that may matter: `lve check --mutate` doesn't try them."""
    skip: str | None = None
    """Why the test is skipped."""
    dataset: Any = None
    """The key `dataset`: a file name, an object, or the rows of a `matrix` (`lve.data.dataset`)."""
    dialect: Literal["opencompass", "aisbench"] | None = None
    reader_cfg: Mapping[str, Any] | None = None
    infer_cfg: Mapping[str, Any] | None = None
    prompt_object: Any = None
    """A prompt object, or the name of its file in the test folder."""
    braces: Braces = "single"
    """`double`: placeholders are `{{name}}`, and single braces are literal."""
    app_files: AppFiles | None = None
    """The folders beside its own whose files it may use."""
    output_schema: Any = None
    """JSON Schema of the answers, or the name of its file."""
    tools: ToolUse | None = None
    """The tools that the model may call; None: it has no tools."""
    simulated_user: SimulatedUser | None = None
    """Continues the conversation after the prompt; None: the conversation ends there."""
    repair: bool = False
    """Whether to ask the model again if its answer can't be parsed."""
    plugins: tuple[str, ...] = ()
    """Names of plugins that the settings allow for the test."""
    suites: Mapping[str, Path] = field(default_factory=dict)
    """Key (`repeats`, `default_model_args.seed`) -> the suite that its value comes from."""
    warnings: tuple[str, ...] = ()
    """Warnings about deprecated keys and the like, ready to print."""
    folder: Path = field(init=False, repr=False, compare=False)
    """The test folder (absolute). A field because it is used often and pathlib is slow."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", self.file.parent)

    @property
    def folder_path(self) -> str:
        """The path without the name of a variant."""
        return self.path if self.variant is None else self.path.removesuffix(f"@{self.variant}")

    def args_for(self, model: str) -> JsonObject:
        """Return the test's model args for a model."""
        own = self.for_models.get(model)
        return {**self.model_args, **own.args} if own is not None else self.model_args

    def expect_for(self, model: str) -> Expectation:
        """Return the test's expectation for a model."""
        own = self.for_models.get(model)
        return self.expect if own is None or own.expect is None else own.expect

    def for_model(self, model: str) -> Spec:
        """Return the test with its expectation, repeats and timeout for a model."""
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


@dataclass(slots=True)
class Instance:
    """One set of args of a test."""

    args: Mapping[str, Any]
    """Parameters and model args together, as in the file."""
    parameters: Mapping[str, Any]
    """The values that fill the prompt."""
    model_args: Mapping[str, Any]
    """The model args that aren't null."""
    source: str
    """Its file, relative to the test folder: `instances/x.jsonl`, or that of the data set."""
    line: int
    """From 1."""
    recorded: Recorded | None = None
    reference: Any = None
    """The value of the output column, for checkers."""
    position: int | None = None
    """Index of its row among the test rows of the data set, if the test has `infer_cfg`."""
    repeat: int = 0
    """Number of its recorded answer among those with the same args, from 0."""
    row: int | None = field(default=None, repr=False, compare=False)
    """Its `row_key`, if it is known."""


def splits_in(dataset: object) -> JsonObject:
    """Return name -> source of each split of a `dataset`; empty if it has no splits."""
    if not isinstance(dataset, Mapping) or any(key in dataset for key in SOURCE_KEYS):
        return {}
    return {name: source for name, source in dataset.items() if name not in SELECTORS}
