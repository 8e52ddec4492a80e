"""Names the folders of imported tests, and writes them: all of them at once, or nothing.

Names and contents come from untrusted files. Only names on the allow lists here are accepted, so a
name can't lead out of the folder, be hidden, or be a file that pytest or lve runs or obeys.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from lve.errors import UsageError
from lve.escape import excerpt, head
from lve.file_names import CHECKER_FOLDER, INSTANCE_FOLDER
from lve.files.atomic_file import unwritable
from lve.files.file_text import file_text
from lve.files.new_files import is_empty_folder, write_new_folder
from lve.importers import ImportedTest
from lve.spec.discover import SKIPPED_FOLDERS
from lve.workspace import display_path

MAX_TITLE = 50
"""How many characters of a title a name can have."""
_OTHERS = re.compile(r"[^a-z0-9]+")


class Names:
    """Makes unique names."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def new(self, title: str, otherwise: str) -> str:
        """Return a new name that is similar to a title.

        Args:
            title: any text.
            otherwise: used if the title has no letters or digits.
        """
        stem = head(_OTHERS.sub("_", head(title, 4 * MAX_TITLE).lower()), MAX_TITLE).strip("_")
        if not stem or stem in NEVER_FOLDERS:
            stem = otherwise
        name, number = stem, 2
        while name in self._names:
            name, number = f"{stem}_{number}", number + 1
        self._names.add(name)
        return name


MAX_TESTS = 5_000
MAX_FILES = 100
"""Maximum number of files beside a document."""
MAX_BYTES = 400_000_000
"""Maximum size of all tests together. Those of OpenAI's own registry have 230 MB."""
MAX_DEPTH = 4
"""Maximum depth of a test folder."""
MAX_NAME = 80
"""Maximum length of a name, in characters."""
DATA = frozenset(
    (
        *(".csv", ".json", ".jsonl", ".md", ".prompt", ".txt"),
        *(".gif", ".jpeg", ".jpg", ".mp3", ".pdf", ".png", ".wav", ".webp"),
    )
)
"""Endings of files that may be beside a document: data, never code or settings."""
ANSWERS = ".jsonl"
"""The ending of files that may also be in the folder of recorded answers."""
DOCUMENT = "test.json"
NEVER_FOLDERS = SKIPPED_FOLDERS | {INSTANCE_FOLDER, CHECKER_FOLDER}
"""Folders that aren't searched for tests."""
_NAME = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9._-]{{0,{MAX_NAME - 1}}}(?<!\.)")


def write_tests(tests: Sequence[ImportedTest], folder: Path) -> None:
    """Write the folders of tests.

    Args:
        tests: the tests.
        folder: the folder that gets the test folders; must not exist or be empty.

    Raises:
        UsageError: the folder isn't empty, or a test has a name or content that isn't allowed. Then
            nothing is written.
    """
    if os.path.lexists(folder) and not is_empty_folder(folder):
        raise UsageError(
            f"{display_path(folder)} exists, and nothing is overwritten: name another",
            code="exists",
        )
    contents = dict(_contents(tests))
    try:
        write_new_folder(folder, contents)
    except FileExistsError:
        raise UsageError(
            f"{display_path(folder)} can't become a folder of tests", code="unwritable"
        ) from None
    except OSError as error:
        raise unwritable(display_path(folder), error) from None


def _contents(tests: Sequence[ImportedTest]) -> Iterator[tuple[str, bytes]]:
    """Yield relative name and content of each file of all tests."""
    if not tests:
        raise UsageError("the source has no test that can be imported", code="nothing_to_import")
    if len(tests) > MAX_TESTS:
        raise UsageError(
            f"the source has {len(tests):,} tests; {MAX_TESTS:,} can be imported", code="over_limit"
        )
    homes, size = set[str](), 0
    for test in tests:
        home = _folder_name(test.folder)
        if home.lower() in homes:  # some systems don't tell upper from lower case
            raise UsageError(
                f"two tests of the source would be in the folder {home}", code="bad_name"
            )
        homes.add(home.lower())
        for name, content in _files(test, home):
            size += len(content)
            if size > MAX_BYTES:
                raise UsageError(
                    f"the tests of the source take more than {MAX_BYTES:,} bytes", code="over_limit"
                )
            yield f"{home}/{name}", content


def _files(test: ImportedTest, home: str) -> Iterator[tuple[str, bytes]]:
    yield DOCUMENT, document_bytes(test.document, home)
    if len(test.files) > MAX_FILES:
        raise UsageError(
            f"the test {home} has {len(test.files):,} files; it may have {MAX_FILES}",
            code="over_limit",
        )
    names = {DOCUMENT}
    for name, content in test.files.items():
        ending = PurePosixPath(str(name)).suffix.lower()
        own = str(name).removeprefix(f"{INSTANCE_FOLDER}/") if ending == ANSWERS else str(name)
        if not _NAME.fullmatch(own) or ending not in DATA or name.lower() in names:
            raise UsageError(f"the test {home} can't have a file {excerpt(name)}", code="bad_name")
        names.add(name.lower())
        yield name, content_bytes(content, f"the file {name} of the test {home}")


def _folder_name(name: object) -> str:
    steps = str(name).split("/")
    is_allowed = all(_NAME.fullmatch(step) and step.lower() not in NEVER_FOLDERS for step in steps)
    if not is_allowed or len(steps) > MAX_DEPTH:
        raise UsageError(f"a test can't be in a folder {excerpt(name)}", code="bad_name")
    return "/".join(steps)


def document_bytes(document: Mapping[str, Any], home: str) -> bytes:
    """Return a document as it is written: its messages in the short form, as `lve new` writes them.

    Args:
        document: the test document.
        home: the folder of the test, for the message.

    Raises:
        UsageError: it isn't JSON.
    """
    what = f"the document of the test {home}"
    try:
        short = {
            key: _short(value) if key == "prompt" else value for key, value in document.items()
        }
        text = json.dumps(short, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{what} isn't JSON: {error}", code="importer") from None
    return content_bytes(text + "\n", what)


def _short(prompt: object) -> object:
    """Return messages with `{user: TEXT}` for `{role: user, content: TEXT}`; a single one of a user
    as its text, unless it is one word, which could be the name of a prompt file."""
    if not isinstance(prompt, list):
        return prompt
    messages = [_short_message(message) for message in prompt]
    match messages:
        case [{"user": str(text), **more}] if not more and len(text.split()) > 1:
            return text
    return messages


def _short_message(message: object) -> object:
    match message:
        case {"role": "system" | "user" | "assistant" as role, "content": str(text), **more}:
            return message if more else {role: text}
    return message


def content_bytes(content: object, what: str) -> bytes:
    """Return the content of a file as it is written: texts without keys.

    Raises:
        UsageError: it is neither text nor bytes, or UTF-8 can't write it.
    """
    if isinstance(content, bytes):
        return content
    if not isinstance(content, str):
        raise UsageError(f"{what} is neither text nor bytes", code="importer")
    try:
        return file_text(content).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} has characters that UTF-8 can't write", code="importer") from None
