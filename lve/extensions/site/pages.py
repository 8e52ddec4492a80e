"""The data of a test's page, and of its entry on the home page."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from lve.data.instances import iter_instances
from lve.data_classes import dataclass
from lve.errors import Problem
from lve.escape import head, keyless
from lve.extensions.site.checking import ShownChecker, ShownExample, shown_checkers, shown_examples
from lve.extensions.site.names import page_path
from lve.extensions.site.prompts import ShownPrompt, shown_prompts
from lve.extensions.site.readme import Readme, read_readme
from lve.extensions.site.recorded import ModelResult, RecordedInstances, recorded_instances
from lve.extensions.site.texts import Clipped, clipped, value_text
from lve.files.inside import DOCUMENT_BYTES, read_inside, reason_of
from lve.named_tuples import NamedTuple
from lve.prompts.plan import Plan
from lve.spec.spec import Spec

SEARCHED = 4_000
"""The most characters of a test that can be searched."""
SEARCHED_ANSWERS = 1_500
"""How many of these may be from recorded answers."""


@dataclass(frozen=True, slots=True)
class TestPage:
    """The page of one test."""

    __test__ = False  # pytest: a class called `Test...`

    spec: Spec
    page: str
    """Its path in the site."""
    readme: Readme
    prompts: Sequence[ShownPrompt]
    checkers: Sequence[ShownChecker]
    examples: Sequence[ShownExample]
    recorded: RecordedInstances
    results: Sequence[ModelResult]
    document: Clipped
    """The text of the test document."""
    source: str | None
    """Address of the test document on the web; None: unknown."""
    warnings: Sequence[Problem]

    @property
    def title(self) -> str:
        """The README's title, or the test's name."""
        return self.readme.title or self.spec.name

    @property
    def description(self) -> Clipped:
        """The test's description."""
        return clipped(self.spec.description)

    @property
    def expected(self) -> str:
        """The expected result in words."""
        words = {"pass": "all answers pass", "fail": "all answers fail: a known weakness"}
        return words.get(self.spec.expect.kind, self.spec.expect.in_words)

    @property
    def model_args(self) -> list[tuple[str, Clipped]]:
        """The model args that the test sets."""
        return [(name, value_text(value)) for name, value in self.spec.model_args.items()]

    @property
    def commands(self) -> list[tuple[str, str]]:
        """Actions and the commands for them."""
        path = shlex.quote(self.spec.path)
        model = next(iter(self.spec.models), "openai/NAME")
        option = f" --model {shlex.quote(model)}"
        replay = [("Judge the recorded answers again, offline", f"lve run {path} --model replay")]
        return [
            ("Run it against a model", f"lve run {path}{option}"),
            *(replay if self.recorded.counts else []),
            ("See what would be sent", f"lve render {path}"),
            ("As a test of pytest", f"pytest {path}{f' --lve-model {shlex.quote(model)}'}"),
        ]


class ListedTest(NamedTuple):
    """A test's entry on the home page. It is small, because all entries are kept in memory."""

    page: str
    title: str
    path: str
    category: str
    description: str
    tags: tuple[str, ...]
    checkers: tuple[str, ...]
    models: tuple[str, ...]
    passed: int
    failed: int
    expect: str
    is_skipped: bool
    results: tuple[ModelResult, ...]
    text: str
    """The searchable text, in lower case."""


def test_page(
    plan: Plan,
    source: str | None,
    results: Sequence[ModelResult],
    warnings: Sequence[Problem],
) -> TestPage:
    """Return the page of a test.

    Args:
        plan: the test's plan.
        source: prefix of links to files of the workspace; None: no links.
        results: the test's results in sessions.
        warnings: warnings from loading it.
    """
    spec = plan.spec
    recorded = recorded_instances(spec, iter_instances(spec))
    return TestPage(
        spec,
        page_path(spec.path),
        read_readme(spec, _address(source, f"{spec.path}/")),
        shown_prompts(plan),
        shown_checkers(spec),
        shown_examples(spec),
        recorded,
        [*recorded.results, *results],
        _document(spec),
        _address(source, f"{spec.path}/{spec.file.name}"),
        [*warnings, *recorded.problems],
    )


test_page.__test__ = False  # type: ignore[attr-defined]


def shown_problem(problem: Problem, root: Path) -> dict[str, str]:
    """Return a problem for a page. Its file is relative to the workspace, so that a page doesn't
    show paths of this machine."""
    path = Path(os.path.abspath(problem.file))  # noqa: PTH100 (without `..`, links as they are)
    file = path.relative_to(root) if path.is_relative_to(root) else Path(problem.file.name)
    place = ":".join(str(part) for part in (file.as_posix(), problem.line) if part is not None)
    where = f"{problem.path}: " if problem.path else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    text = f"{where}{problem.message}{hint}"
    return {"place": place, "text": text, "severity": problem.severity}


def listed_test(page: TestPage) -> ListedTest:
    """Return a test's entry for the home page.

    Args:
        page: the test's page.
    """
    spec = page.spec
    return ListedTest(
        page.page,
        head(page.title, 200),
        spec.path,
        spec.category,
        head(spec.description, 1_000),
        tuple(head(f"{tag.name}: {tag.value}", 80) for tag in spec.tags[:20]),
        tuple(dict.fromkeys(head(checker.name, 80) for checker in spec.checkers[:20])),
        tuple(spec.models[:20]),
        page.recorded.counts["passed"],
        page.recorded.counts["failed"],
        spec.expect.kind,
        spec.skip is not None,
        tuple(page.results),
        _searched(page),
    )


def _searched(page: TestPage) -> str:
    # Without keys first, because they aren't recognised once spaces and case are normalised.
    spec = page.spec
    parts = [page.title, spec.path, spec.description, spec.author or "", *spec.models]
    parts += [f"{tag.name}: {tag.value}" for tag in spec.tags]
    for prompt in page.prompts:
        parts += ["".join(piece.text for piece in message.pieces) for message in prompt.messages]
    for checker in page.checkers:
        parts += [checker.name, *(argument.value.text for argument in checker.arguments)]
    parts.append(page.readme.text)
    instances = (*page.recorded.failed, *page.recorded.passed, *page.recorded.unjudged)
    answers = [answer.text.text for instance in instances for answer in instance.answers]
    answers += [value.text for instance in instances for _, value in instance.args]
    written = " ".join(keyless(" ".join(parts)).split())[: SEARCHED - SEARCHED_ANSWERS]
    return f"{written} {' '.join(keyless(' '.join(answers)).split())[:SEARCHED_ANSWERS]}".lower()


def _document(spec: Spec) -> Clipped:
    try:
        content = read_inside(spec.folder, spec.file, DOCUMENT_BYTES)
    except OSError as error:  # it was read a moment ago
        return Clipped(f"can't be read: {reason_of(error)}")
    return clipped(content.decode("utf-8", "replace").replace("\r\n", "\n"))


def _address(source: str | None, path: str) -> str | None:
    return None if source is None else f"{source.rstrip('/')}/{quote(path)}"
