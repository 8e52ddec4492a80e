"""`lve check --modernize`: rewrites the documents of tests in the short form, and proves that each
is the same test."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lve.checkers.binding.bound import BoundChecker
from lve.checkers.examples import example_context
from lve.checkers.judge import Judge
from lve.checkers.static import bind_statically
from lve.cli.find_tests import each_test, exit_code, view_of_tests
from lve.cli.printing import print_line, print_view
from lve.data.instances import iter_instances
from lve.documents.position_types import TextError
from lve.documents.read import Document, parser_for
from lve.errors import LveError, Problem, SpecError
from lve.extensions.modernizing.edits import CannotEditError, Edit, Source, applied, pairs_of
from lve.extensions.modernizing.short_form import check_edits, message_edits, run_edits
from lve.files.atomic_file import replace_file
from lve.files.inside import DOCUMENT_BYTES, read_inside
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.settings.settings import Caps
from lve.spec.load import load_spec, spec_of
from lve.spec.spec import Example, Instance, Spec
from lve.workspace import Workspace, display_path

MAX_ANSWERS = 1_000
"""Maximum number of recorded answers of a test that are judged by both documents."""
JUDGING_S = 10.0
"""Seconds for judging them."""
_POSITIONS: dict[str, Any] = {"warnings": (), "checkers": (), "prompts": ()}


def modernized(path: Path, root: Path, text: str, caps: Caps) -> str:
    """Return the text of a valid test document in the short form.

    What can't be written shorter without losing a comment, or without changing the test or a
    verdict of its examples and recorded answers, stays as it is.

    Args:
        path: the document.
        root: the workspace root.
        text: its content.
        caps: the settings' limits.

    Raises:
        LveError: the document is invalid.
    """
    before = load_spec(path, root, caps=caps)
    groups = list(_groups(path, text, renames=True))
    if (whole := _proved(before, text, groups, caps)) is not None:
        return whole
    kept: list[list[Edit]] = []
    for group in (*groups, *_groups(path, text, renames=False)):
        if _proved(before, text, [*kept, group], caps) is not None:
            kept.append(group)
    return applied(text, _flat(kept))


def _groups(path: Path, text: str, *, renames: bool) -> Iterator[list[Edit]]:
    """Yield the edits of each part that can be written shorter."""
    import yaml

    # The C loader is 8 times as fast. JSON is YAML, too.
    node = yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    source, root = Source(text, is_json=path.suffix == ".json"), pairs_of(node)
    if renames:
        yield from message_edits(source, root)
        yield from run_edits(source, root)
    yield from check_edits(source, root, renames=renames)


def _flat(groups: Sequence[Sequence[Edit]]) -> list[Edit]:
    return [edit for group in groups for edit in group]


def _proved(before: Spec, text: str, groups: list[list[Edit]], caps: Caps) -> str | None:
    """Return the text with some edits, if it is the same test; else None."""
    try:
        changed = applied(text, _flat(groups))
        data = parser_for(before.file.suffix)(changed)
        after = spec_of(Document(before.file, data, changed, None), before.root, caps)
    except (CannotEditError, TextError, SpecError):
        return None
    return changed if _is_same(before, after) and _same_verdicts(before, after) else None


def _is_same(before: Spec, after: Spec) -> bool:
    """Return whether two specs say the same, whatever their checkers and places in the text."""
    from dataclasses import replace

    prompts = [
        [prompt._replace(position=None, message_positions=()) for prompt in spec.prompts]  # type: ignore[arg-type]
        for spec in (before, after)
    ]
    plain = [replace(spec, **_POSITIONS) for spec in (before, after)]
    return prompts[0] == prompts[1] and plain[0] == plain[1]


def _same_verdicts(before: Spec, after: Spec) -> bool:
    """Return whether the checkers of two documents come to the same verdicts."""
    if len(before.checkers) != len(after.checkers):
        return False
    changed = [
        index
        for index, (old, new) in enumerate(zip(before.checkers, after.checkers, strict=True))
        if (old.name, old.args) != (new.name, new.args)
    ]
    if not changed:
        return True
    olds, news = bind_statically(before), bind_statically(after)
    if olds.problems or news.problems:
        return False
    pairs = [(olds.judgeable[index], news.judgeable[index]) for index in changed]
    return all(old and new and _agree(before, old, new) for old, new in pairs)


def _agree(spec: Spec, old: BoundChecker, new: BoundChecker) -> bool:
    judges, began = (Judge([old]), Judge([new])), time.monotonic()
    for example in _answers(spec):
        if time.monotonic() - began > JUDGING_S:
            return True
        context = example_context(spec, example)
        outcomes = {judge.judge(context).outcome for judge in judges}
        if len(outcomes) > 1:
            return False
    return True


def _answers(spec: Spec) -> Iterator[Example]:
    """Yield a test's examples, and its recorded answers as such."""
    yield from spec.examples
    count = 0
    try:
        for row in iter_instances(spec):
            if isinstance(row, Instance) and row.recorded is not None and count < MAX_ANSWERS:
                count += 1
                yield _as_example(row, spec)
    except LveError:  # bad files are reported elsewhere
        return


def _as_example(row: Instance, spec: Spec) -> Example:
    assert row.recorded is not None
    place = spec.checkers[0].position
    return Example("passed", row.recorded.responses, row.args, place, row.reference)


_BOM = b"\xef\xbb\xbf"


def modernize(paths: tuple[str, ...], *, as_json: bool) -> int:
    """Rewrite the documents of the tests below some paths in the short form, print which have
    changed, and return the exit code."""
    workspace = choose_workspace(paths)
    problems: list[Problem] = []
    files: dict[str, bool] = {}
    for spec in each_test(paths, workspace, problems):
        name = str(display_path(spec.file))
        if name not in files:
            files[name] = _rewritten(spec, workspace)
            if files[name] and not as_json:
                print_line(f"rewritten  {name}")
    documents = [{"file": name, "rewritten": changed} for name, changed in files.items()]
    count = amount(sum(files.values()), "document")
    ending = [f"{count} of {len(files)} rewritten; comments and verdicts stay"] if files else ()
    print_view(view_of_tests(documents, problems, ending), as_json=as_json)
    return exit_code(len(files), problems, paths)


def _rewritten(spec: Spec, workspace: Workspace) -> bool:
    """Rewrite a test's document if it can be shorter, and return whether it was."""
    content = read_inside(spec.file.parent, spec.file, DOCUMENT_BYTES)
    text = content.decode("utf-8-sig")
    changed = modernized(spec.file, spec.root, text, workspace.settings.caps)
    if changed == text:
        return False
    mark = _BOM if content.startswith(_BOM) else b""
    mode = spec.file.stat().st_mode & 0o777
    replace_file(spec.file, mark + changed.encode("utf-8"), mode=mode)
    return True
