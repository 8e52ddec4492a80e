"""Describes tests in Markdown, for pull requests and for the generated block of a test's README."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from lve.data.instances import iter_instances
from lve.errors import Problem, SpecError
from lve.escape import escape_line, excerpt, keyless
from lve.extensions.contributing.changes import ChangedTest
from lve.extensions.contributing.rules import README, read_page
from lve.files.atomic_file import replace_file
from lve.files.inside import DOCUMENT_BYTES, reason_of
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.reporting.files.markdown_text import escaped, fenced, row, table_head
from lve.spec.spec import Expectation, Instance, Spec
from lve.workspace import display_path

MAX_CELL = 300
MAX_ANSWER = 1_500
Verdict = Literal["passed", "failed"]
ANSWERS: Mapping[Verdict, str] = {"passed": "An answer that passes", "failed": "One that fails"}
HANDWRITTEN = "written by hand"
VERBS = {"new": "Add", "updated": "Update", "deleted": "Remove"}


class Rates(NamedTuple):
    """The pass rate of a model's recorded answers."""

    model: str
    passed: int
    total: int

    def __str__(self) -> str:
        return f"{_cell(self.model)}: {self.passed} of {self.total} passed"


def describe_test(spec: Spec) -> str:
    """Return a test's description, facts, recorded rates, a passing and a failing answer."""
    table = table_head(("", "")) + "".join(map(row, _facts(spec)))
    parts = [_cell(spec.description, limit=2_000), table.rstrip("\n")]
    for verdict, title in ANSWERS.items():
        answer = _answer(spec, verdict)
        if answer is not None:
            parts.append(f"{title}:\n\n{_fenced(answer)}")
    return "\n\n".join(parts)


def pull_request_title(changes: Sequence[ChangedTest]) -> str:
    """Return a title for a commit or pull request: `Add test courtesy/greeting`."""
    verbs = list(dict.fromkeys(VERBS[change.kind] for change in changes))
    verb = verbs[0] if len(verbs) == 1 else "Change"
    if len(changes) > 1:
        return f"{verb} {amount(len(changes), 'test')}"
    return escape_line(f"{verb} test {changes[0].folder.removeprefix('repository/')}")


def pull_request_body(changes: Sequence[ChangedTest], specs: Sequence[Spec]) -> str:
    """Return the text of a pull request.

    Args:
        changes: the branch's changed tests.
        specs: those that still exist.
    """
    removals = [f"`{change.folder}` is removed." for change in changes if change.kind == "deleted"]
    parts = [f"## {spec.name}\n\n{describe_test(spec)}" for spec in specs]
    checks = "`lve check --contribute` finds nothing wrong." if specs else ""
    return "\n\n".join([*parts, *removals, *([checks] if checks else [])]) + "\n"


def rates_of(spec: Spec) -> list[Rates]:
    """Return the recorded verdicts by model."""
    passed, total = Counter[str](), Counter[str]()
    for instance in iter_instances(spec):
        recorded = instance.recorded if isinstance(instance, Instance) else None
        if recorded is None or recorded.passed is None:
            continue
        model = str(recorded.run_info.get("model") or "a model that isn't named")
        name = HANDWRITTEN if recorded.is_handwritten else model
        total[name] += 1
        passed[name] += recorded.passed
    return [Rates(name, passed[name], count) for name, count in total.items()]


def _facts(spec: Spec) -> Iterator[tuple[str, str]]:
    yield "test", f"`{spec.path}`" if "`" not in spec.path else _cell(spec.path)
    if spec.models:
        yield "meant for", _cell(", ".join(spec.models))
    yield "expected", _expected(spec.expect)
    yield (
        "checked by",
        _cell(", ".join(dict.fromkeys(checker.name for checker in spec.checkers)) or "-"),
    )
    if spec.tags:
        yield "tags", _cell(", ".join(f"{tag.name}: {tag.value}" for tag in spec.tags))
    rates = rates_of(spec)
    yield "recorded", "; ".join(map(str, rates)) or "no answers"
    yield "examples", amount(len(spec.examples), "answer") + " prove the checker"
    if spec.author:
        yield "author", _cell(spec.author)


def _expected(expect: Expectation) -> str:
    if expect.counts_results:
        return expect.in_words
    if expect.kind == "rate":
        return f"a pass rate {html.escape(expect.comparison)} {expect.threshold:g}"
    return (
        "every answer passes" if expect.kind == "pass" else "every answer fails: a known weakness"
    )


def _answer(spec: Spec, verdict: Verdict) -> str | None:
    """Return an answer with this verdict: an example, or a recorded one; None if there is none."""
    for example in spec.examples:
        if example.verdict == verdict:
            return _text(example.responses[0])
    for instance in iter_instances(spec):
        recorded = instance.recorded if isinstance(instance, Instance) else None
        if recorded and recorded.responses and recorded.passed is (verdict == "passed"):
            return _text(recorded.responses[0])
    return None


def _text(response: object) -> str:
    if isinstance(response, str):
        return response
    pairs = response.items() if hasattr(response, "items") else ()
    return "\n".join(f"{name}: {text}" for name, text in pairs)


def _cell(text: str, *, limit: int = MAX_CELL) -> str:
    """Return text for a line of Markdown."""
    return escaped(text, limit)


def _fenced(text: str) -> str:
    """Return text in a code fence. HTML comments are broken up."""
    visible = keyless(text).replace("<!--", "<! --")
    return fenced(excerpt(visible, MAX_ANSWER)).rstrip("\n")


BEGIN = "<!-- lve readme: written by `lve readme`; changes in here get lost -->"
END = "<!-- lve readme: end -->"


def written(spec: Spec) -> tuple[str | None, str]:
    """Return a test's current README (None if there is none) and the updated one.

    Only the generated block changes. A README without a block gets one at its end.

    Raises:
        SpecError: the README can't be read, or its block has no beginning or end.
    """
    page = read_page(spec.folder, README)
    block = f"{BEGIN}\n\n{describe_test(spec)}\n\n{END}"
    if page is None:
        title = spec.name.replace("_", " ").capitalize()
        return None, f"# {title}\n\n{block}\n"
    if BEGIN not in page and END not in page:
        return page, f"{page.rstrip()}\n\n{block}\n"
    before, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end or BEGIN in after or END in after or END in before:
        hint = f"keep one `{BEGIN}` and one `{END}` behind it, or none of both"
        message = "its generated block has no beginning, no end, or occurs twice"
        raise SpecError(
            [Problem(message, display_path(spec.folder / README), hint=hint, code="readme")]
        )
    return page, before + block + after


def write_readme(spec: Spec) -> bool:
    """Update a test's README, and return whether that changed it.

    Raises:
        SpecError: the README can't be read or written.
    """
    page, updated = written(spec)
    if page == updated:
        return False
    file = spec.folder / README
    if len(content := updated.encode()) > DOCUMENT_BYTES:
        message = f"would have {len(content):,} bytes, and may have {DOCUMENT_BYTES:,}: shorten it"
        raise SpecError([Problem(message, display_path(file), code="readme")])
    try:
        replace_file(file, content)
    except OSError as error:
        raise SpecError(
            [Problem(reason_of(error), display_path(file), code="unwritable")]
        ) from None
    return True
