"""The generated block of a test's README, with facts about the test and its recorded answers."""

from __future__ import annotations

from lve.errors import Problem, SpecError
from lve.extensions.contributing.description import describe_test
from lve.extensions.contributing.rules import README, read_page
from lve.files.atomic_file import replace_file
from lve.files.inside import DOCUMENT_BYTES, reason_of
from lve.spec.spec import Spec
from lve.workspace import display_path

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
