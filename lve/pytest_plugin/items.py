"""One pytest item per instance, or per chunk of a large data set."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from lve.errors import LveError, MissingExtraError
from lve.pytest_plugin import options
from lve.pytest_plugin.verdicts import (
    InfrastructureError,
    InstanceFailed,
    ItemVerdict,
    describe,
    item_verdict,
)
from lve.spec.model import Instance, Spec

PLAIN_TAG_VALUES = {"yes": True, "no": False}


class InconclusiveWarning(UserWarning):
    """The statistics can't tell whether a test passed."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The instances that one item stands for."""

    name: str
    instances: tuple[Instance, ...]

    @classmethod
    def single(cls, instance: Instance) -> Chunk:
        """Return the chunk of one instance: `instances.jsonl[3]` or `row-17`."""
        folder, _, file = instance.source.partition("/")
        name = f"{file}[{instance.line}]" if folder == "instances" else f"row-{instance.line}"
        return cls(name, (instance,))

    @classmethod
    def of_rows(cls, rows: Sequence[Instance]) -> Chunk:
        """Return the chunk of several rows: `rows-1001-2000`."""
        return cls(f"rows-{rows[0].line}-{rows[-1].line}", tuple(rows))


def add_marks(spec: Spec, config: pytest.Config) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a test: its tags, `skip`, and strict `xfail` for `expect: fail`.

    A tag becomes `name_value` (`severity_high`), a yes/no tag its name (`jailbreak`) or nothing.
    Every mark is registered, so that `--strict-markers` accepts it.
    """
    marks = [_tag_mark(tag.name, tag.value, config) for tag in spec.tags]
    if spec.skip is not None:
        marks.append(pytest.mark.skip(reason=spec.skip))
    if spec.expect.kind == "fail":
        reason = "a known weakness (expect: fail)"
        marks.append(pytest.mark.xfail(reason=reason, strict=True, raises=InstanceFailed))
    return tuple(mark for mark in marks if mark is not None)


def _tag_mark(name: str, value: str, config: pytest.Config) -> pytest.MarkDecorator | None:
    if PLAIN_TAG_VALUES.get(value.lower()) is False:
        return None
    spelled = name if value.lower() in PLAIN_TAG_VALUES else f"{name}_{value}"
    word = re.sub(r"\W+", "_", spelled).strip("_")
    if not word.isidentifier():
        return None
    line = f"{word}: tests of models with the tag {name}: {value}"
    if line not in config.getini("markers"):
        config.addinivalue_line("markers", line)
    mark: pytest.MarkDecorator = getattr(pytest.mark, word)
    return mark


class InstanceItem(pytest.Item):
    """One instance of a test against one model; its repeats live inside."""

    instances: tuple[Instance, ...] = ()

    def __init__(self, *, spec: Spec, model: str | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.spec = spec
        self.model = model
        self.verdict: ItemVerdict | None = None

    def apply(self, marks: Sequence[pytest.MarkDecorator]) -> None:
        """Add marks and what `-k` finds: path, tags, model, parameters."""
        for mark in marks:
            self.add_marker(mark)
        self.extra_keyword_matches.add(self.spec.path)
        self.extra_keyword_matches.update(f"{tag.name}={tag.value}" for tag in self.spec.tags)
        if self.model:
            self.extra_keyword_matches.add(self.model)
        if len(self.instances) == 1:
            given = self.instances[0].parameters.items()
            self.extra_keyword_matches.update(f"{name}={value}"[:200] for name, value in given)

    def setup(self) -> None:
        """Wait for this item's own result; what is no verdict on the model is an error here.

        A test whose checker needs a package that is not installed is skipped, as in `lve run`.
        """
        from lve.pytest_plugin.bridge import bridge_of

        bridge = bridge_of(self.session)
        try:
            results = bridge.results_of(self)
        except MissingExtraError as error:
            pytest.skip(str(error))
        facts = [("prompt_hash", bridge.prompt_hash(self.spec)), ("session", bridge.session_id)]
        strict = options.read(self.config).strict
        self.verdict = item_verdict(self.spec, results, strict=strict, facts=facts)
        self.user_properties += self.verdict.properties
        if self.verdict.outcome == "error":
            raise InfrastructureError(self.verdict.reason)

    def runtest(self) -> None:
        """Fail, warn or pass."""
        assert self.verdict is not None
        if self.verdict.outcome == "failed":
            raise InstanceFailed(self.verdict.reason)
        if self.verdict.outcome == "inconclusive":
            warnings.warn(InconclusiveWarning(self.verdict.reason), stacklevel=1)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the transcript and the checker's reason instead of a traceback of the plugin."""
        if isinstance(excinfo.value, InstanceFailed | InfrastructureError) and self.verdict:
            return describe(self.spec, self.verdict)
        if isinstance(excinfo.value, LveError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """The test document, and the item's name."""
        return self.path, 0, self.nodeid


class RowsItem(InstanceItem):
    """Many rows of a data set; a failure lists the rows that failed."""
