"""Has promptfoo itself read a configuration, in the sandbox: its tests, their rows and prompts.

Its scripts run, and its templates are filled in by promptfoo. What is written then is data, which
is checked like any foreign file.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from lve.data_classes import dataclass, field
from lve.documents.json_text import has_lone_surrogate
from lve.escape import excerpt, head
from lve.extensions.importing.boxes.box import TOOLS, BoxError, BoxOptions, run_in_box
from lve.extensions.importing.promptfoo.source import UnsupportedError
from lve.json_types import JsonObject, JsonValue

TOOL = TOOLS["promptfoo"]
PROGRAM = Path(__file__).parent / "dump.cjs"
PASSED = ("env", "nunjucksFilters")
"""Keys of a configuration that promptfoo gets as they are."""
NOT_ASKED = (*("provider", "providers", "rubricPrompt", "factuality", "transform", "postprocess"),)
"""Options of a test that only its answers need."""
ENTRY = "lve prompt"
"""Begins the prompts that stand between those of the configuration."""
HALF = "left out: it has half of a character"
EARLIER = "left out: its prompts have what the model has answered before"
CONVERSATION = "_conversation"
"""The variable that has what a model has answered before."""
ADDED = (CONVERSATION, "__evalId", "__evalStepId", "__repeatIndex")
"""Variables that promptfoo 0.121 adds to those of a test."""
MAX_PROMPTS = 1_000
MAX_TESTS = 100_000
MAX_WHY = 300


@dataclass(slots=True)
class DumpedPrompt:
    """A prompt of the configuration."""

    entry: int
    """Which entry of `prompts` it is of."""
    label: str
    options: frozenset[str]
    """The settings that it is written with."""
    settings: JsonObject | None = None
    """Those that its script gives; None: no row has it."""
    why: str = ""
    """Why it can't be kept; empty if it can."""


@dataclass(slots=True)
class DumpedRow:
    """The variables of a test, and its prompts with these."""

    variables: JsonObject
    texts: dict[int, str] = field(default_factory=dict)
    """Number of a prompt -> the prompt."""


@dataclass(slots=True)
class DumpedTest:
    """A test."""

    entry: int
    """Which entry of `tests` it is of."""
    test: JsonObject
    """As it is written, or as a script gave it."""
    rows: dict[str, DumpedRow] = field(default_factory=dict)
    """Variables as a text -> these and the prompts."""
    why: str = ""
    """Why it has no prompts; empty if it has."""
    failures: dict[str, str] = field(default_factory=dict)
    """Variables of rows without prompts -> why they have none."""


class Dump:
    """What promptfoo makes of a configuration."""

    def __init__(self) -> None:
        self.prompts: list[DumpedPrompt] = []
        self.tests: list[DumpedTest] = []
        self.version = ""
        self.answer = secrets.token_hex(16)
        """What all models have answered: where it stands in a prompt, the prompt depends on it."""
        self.scripts: dict[str, str] = {}
        """File -> what node runs instead of its TypeScript or ES module."""
        self._is_complete = False

    def read(self, request: Mapping[str, object], folder: Path, options: BoxOptions) -> None:
        """Run promptfoo, and take its lines.

        Raises:
            UnsupportedError: promptfoo refuses the configuration, or ends too early.
            UsageError: promptfoo isn't set up.
        """
        whole = {
            **request,
            "modules": str(TOOL.folder / "node_modules"),
            "python": str(TOOL.python),
            "limit": options.limit,
            "answer": self.answer,
        }
        try:
            for line in run_in_box(TOOL, PROGRAM, whole, options, folder=folder):
                self._add(line)
        except BoxError as error:
            raise UnsupportedError(f"left out: promptfoo {error}") from None
        if not self._is_complete:
            raise UnsupportedError("left out: promptfoo has ended without an end")

    def _add(self, line: JsonObject) -> None:
        number, why = line.get("number"), excerpt(str(line.get("why")), MAX_WHY)
        half = HALF if has_lone_surrogate(line) else ""
        match line:
            case {"kind": "tool"}:
                self.version = head(str(line.get("version")), 40)
            case {"kind": "prompt", "number": int(), "label": str(label), "entry": int(entry)}:
                config = line.get("config")
                options = frozenset(config if isinstance(config, dict) else ())
                _within(MAX_PROMPTS, len(self.prompts), "prompts")
                if number == len(self.prompts):
                    self.prompts.append(DumpedPrompt(entry, label, options, why=half))
            case {"kind": "test", "number": int(), "entry": int(entry), "test": dict(test)}:
                _within(MAX_TESTS, len(self.tests), "tests")
                if number == len(self.tests):
                    self.tests.append(DumpedTest(entry, test, why=half))
            case {"kind": "row", "number": int(n)} if 0 <= n < len(self.tests):
                self.tests[n].why = self.tests[n].why or half
                self._add_row(self.tests[n], line)
            case {"kind": "failed", "number": int(n)} if 0 <= n < len(self.tests):
                self.tests[n].failures[excerpt(json.dumps(line.get("vars")))] = why
            case {"kind": "script", "file": str(file), "text": str(text)}:
                self.scripts[file] = text
            case {"kind": "refused"}:
                raise UnsupportedError(f"left out: promptfoo {self.version} refuses it: {why}")
            case {"kind": "end"}:
                self._is_complete = True

    def _add_row(self, test: DumpedTest, line: JsonObject) -> None:
        match line:
            case {
                "of": int(of),
                "prompt": str(text),
                "vars": dict(variables),
                "config": dict(config),
            } if 0 <= of < len(self.prompts):
                prompt = self.prompts[of]
            case _:
                test.why = "left out: promptfoo has written a row that is none"
                return
        columns = {name: v for name, v in variables.items() if name not in ADDED}
        row = test.rows.setdefault(json.dumps(columns, sort_keys=True), DumpedRow(columns))
        if self.answer in json.dumps([text, columns]):
            prompt.why = EARLIER
        elif row.texts.setdefault(of, text) != text:
            prompt.why = "left out: each provider gets another text of it"
        settings = {name: value for name, value in config.items() if name not in prompt.options}
        if prompt.settings not in (None, settings):
            names = excerpt(", ".join(sorted({*settings, *(prompt.settings or ())})))
            prompt.why = f"left out: it sets {names} of the model, not the same in all rows"
        prompt.settings = settings


def _within(most: int, number: int, what: str) -> None:
    if number >= most:
        raise UnsupportedError(f"left out: promptfoo makes more than {most:,} {what} of it")


def request_of(
    config: Mapping[str, JsonValue],
    prompts: Sequence[str],
    tests: Sequence[JsonValue],
    providers: Sequence[JsonObject],
) -> dict[str, object]:
    """Return what promptfoo is to read.

    Args:
        config: the whole configuration.
        prompts: its prompts: texts or files.
        tests: its tests: objects or files.
        providers: id, label and config of each that prompts may tell apart.
    """
    default = config.get("defaultTest")
    request: dict[str, object] = {key: config[key] for key in PASSED if key in config}
    if isinstance(default, dict):
        request["defaultTest"] = _asked(default)
    between = [[f"{ENTRY} {n}", prompt] for n, prompt in enumerate(prompts)]
    request["prompts"] = [prompt for pair in between for prompt in pair]
    request["tests"] = [_asked(test) if isinstance(test, dict) else test for test in tests]
    asserted = [part.get("assert") for part in (default, *tests) if isinstance(part, dict)]
    own: dict[str, object] = {"entry": ENTRY, "asserted": asserted}
    return {"config": request, "providers": [*providers], **own}


def _asked(test: JsonObject) -> JsonObject:
    """Return the parts of a test that decide what is asked."""
    options = test.get("options")
    kept: dict[str, JsonValue] = {"vars": {}}  # promptfoo refuses tests without anything
    kept |= {key: test[key] for key in ("vars", "metadata") if key in test}
    if isinstance(options, dict):
        kept["options"] = {k: v for k, v in options.items() if k not in NOT_ASKED}
    return kept
