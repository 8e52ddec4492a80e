"""Builds a site: a page for each test, and a home page that lists them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem
from lve.escape import head, visible
from lve.extensions.site.names import HOME
from lve.extensions.site.output import SiteFolder
from lve.extensions.site.pages import ListedTest, listed_test, shown_problem, test_page
from lve.extensions.site.recorded import Results
from lve.extensions.site.render import Renderer
from lve.extensions.site.texts import MAX_LABEL
from lve.named_tuples import NamedTuple
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.loading import load_test, named_model
from lve.prompts.plan import build_plan, left_out_examples
from lve.spec.spec import Spec
from lve.verdicts.rates.clusters import Estimate, population_rate
from lve.workspace import Workspace

SHOWN_PROBLEMS = 500
"""The most problems of tests that the home page shows."""
SHOWN_MODELS = 100
SHOWN_WARNINGS = 20
"""The most problems of a test that its page shows."""
SHOWN_NAMES = 200
"""The most tags, checkers and models in the home page's filters."""


class SiteOptions(NamedTuple):
    """The user's options for a site."""

    title: str
    source: str | None = None
    """Prefix of links to files of the workspace; None: no links."""


class ModelSummary(NamedTuple):
    """Results of one model over all tests."""

    model: str
    tests: int
    passed: int
    failed: int
    estimate: Estimate | None
    """The mean pass rate for tests like these."""


class SiteBuilder:
    """Writes a site into its folder, test by test."""

    def __init__(
        self, workspace: Workspace, folder: SiteFolder, options: SiteOptions, results: Results
    ) -> None:
        """
        Args:
            workspace: the workspace of the tests.
            folder: the site's folder.
            options: the user's options.
            results: results from sessions.

        Raises:
            MissingExtraError: a required package isn't installed.
        """
        self._workspace = workspace
        self._folder = folder
        self._options = options
        self._results = results
        self._renderer = Renderer(head(options.title, MAX_LABEL))
        self.tests: list[ListedTest] = []
        self.problems: list[Problem] = []
        """Problems of all tests."""
        self.broken: list[Path] = []
        """Documents of invalid tests, which have no page."""

    def add(self, file: Path) -> None:
        """Write the page of a test, or add it to `broken` if it is invalid.

        Args:
            file: the test document.

        Raises:
            UsageError: the folder can't be written.
        """
        try:
            with error_boundary("describing the test"):
                page = self._page(load_test(file, self._workspace))
        except LveError as error:
            self.problems += problems_of(file, error)
            self.broken.append(file)
        else:
            self._folder.write(*page)

    def _page(self, spec: Spec) -> tuple[str, bytes]:
        """Return path and content of a test's page, and add the test to `tests`."""
        settings = self._workspace.settings
        plan = build_plan(spec, model=settings.entry(named_model(spec, settings)))
        warnings = [*plan.warnings, *left_out_examples(plan)]
        results = self._results.get(spec.path, ())
        page = test_page(plan, self._options.source, results, warnings)
        root = self._workspace.root
        values = {
            "test": page,
            "problems": [
                shown_problem(problem, root) for problem in page.warnings[:SHOWN_WARNINGS]
            ],
            "spec": spec,
            "readme": self._renderer.trusted_html(page.readme.html),
        }
        content = self._renderer.page("test.html", page.page, values)
        self.tests.append(listed_test(page))
        self.problems += page.warnings
        return page.page, content

    def finish(self) -> None:
        """Write the home page, and put the site in its place.

        Raises:
            UsageError: the folder can't be written.
        """
        self._folder.write(HOME, self._renderer.page("home.html", HOME, self._home()))
        self._folder.publish()

    def _home(self) -> dict[str, object]:
        tests = sorted(self.tests, key=lambda test: (test.category, test.path))
        categories: dict[str, list[ListedTest]] = {}
        for test in tests:
            categories.setdefault(test.category, []).append(test)
        return {
            "categories": categories,
            "tests": tests,
            "choices": {
                "tag": _choices(tag for test in tests for tag in test.tags),
                "checker": _choices(name for test in tests for name in test.checkers),
                "model": _choices(name for test in tests for name in models_of(test)),
            },
            "passed": sum(test.passed for test in tests),
            "failed": sum(test.failed for test in tests),
            "broken": len(self.broken),
            "problems": [
                shown_problem(problem, self._workspace.root)
                for problem in self.problems[:SHOWN_PROBLEMS]
            ],
            "more_problems": max(len(self.problems) - SHOWN_PROBLEMS, 0),
            "summaries": summaries(tests)[:SHOWN_MODELS],
            "search": self._renderer.data([*map(_searched, tests)]),
        }


def _choices(names: Iterable[str]) -> list[tuple[str, int]]:
    """Return the most common names with the number of tests, sorted by name."""
    most = Counter(names).most_common(SHOWN_NAMES)
    return sorted(most)


def models_of(test: ListedTest) -> list[str]:
    """Return the models with results for a test."""
    return sorted({result.model for result in test.results})


def _searched(test: ListedTest) -> dict[str, object]:
    """Return the data about a test for the home page's search script."""
    return {  # escaped as on the page, because the script compares them with the page's text
        "category": visible(test.category),
        "tag": [*map(visible, test.tags)],
        "checker": [*map(visible, test.checkers)],
        "model": [*map(visible, models_of(test))],
        "text": visible(test.text),
    }


def summaries(tests: Iterable[ListedTest]) -> list[ModelSummary]:
    """Return the results of each model over all tests, with each test as one unit."""
    counts_of: dict[str, dict[str, Counter[str]]] = {}
    for test in tests:
        for result in test.results:
            counts = counts_of.setdefault(result.model, {}).setdefault(test.path, Counter())
            counts.update(passed=result.passed, failed=result.failed)
    return [_summary(model, [*of_tests.values()]) for model, of_tests in sorted(counts_of.items())]


def _summary(model: str, of_tests: Sequence[Counter[str]]) -> ModelSummary:
    clusters = Counter((counts["passed"], counts.total()) for counts in of_tests)
    passed = sum(counts["passed"] for counts in of_tests)
    failed = sum(counts["failed"] for counts in of_tests)
    return ModelSummary(model, len(of_tests), passed, failed, population_rate(clusters))
