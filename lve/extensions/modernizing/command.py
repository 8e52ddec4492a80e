"""`lve check --modernize`: rewrites the documents of tests in place."""

from __future__ import annotations

from lve.cli.find_tests import each_test, exit_code, view_of_tests
from lve.cli.printing import print_line, print_view
from lve.errors import Problem
from lve.extensions.modernizing.documents import modernized
from lve.files.atomic_file import replace_file
from lve.files.inside import DOCUMENT_BYTES, read_inside
from lve.pipeline.choosing.loading import choose_workspace
from lve.spec.spec import Spec
from lve.verdicts.wording import amount
from lve.workspace import Workspace, display_path

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
