"""The questions of `lve new`, in the order in which they are asked, and the texts that answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from lve.cli.ask import ask, ask_text, note
from lve.errors import UsageError
from lve.extensions.authoring.check_questions import ask_check
from lve.extensions.authoring.new_test import AuthorInput, NewTest, parsed_amount, prompt_parameters
from lve.extensions.authoring.places import categories, home_of_tests, new_folder, refusal_of_name
from lve.extensions.authoring.templates import target_examples
from lve.extensions.authoring.writing import Place, problems_of
from lve.files.inside import DOCUMENT_BYTES, read_regular, reason_of
from lve.options.values import MAPPING
from lve.workspace import Workspace, display_path


def read_prompt(name: str) -> str:
    """Return the text of a file.

    Raises:
        UsageError: the file can't be read, or isn't UTF-8.
    """
    file = Path(name).expanduser()
    try:
        return read_regular(file, DOCUMENT_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"{display_path(file)} is not UTF-8; save it as UTF-8", code="encoding"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{display_path(file)} can't be read: {reason}", code="unreadable"
        ) from None


def refuse_non_utf8(option: str, text: str) -> None:
    """Refuse the value of an option that isn't UTF-8; Python turns its bytes into surrogates.

    Raises:
        UsageError: `text` has surrogates.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{option} is not UTF-8", code="encoding") from None


DEFAULT_MODEL = "openai/gpt-6-luna"
KINDS = ("model", "application")
"""What a test may be for."""
SHOWN_CATEGORIES = 6
INTRODUCTION = """\
A new test. Ctrl-C quits without writing anything. `lve new --help` lists an
option for every question.
"""


class Interview:
    """Asks for what the options of `lve new` didn't give."""

    def __init__(self, workspace: Workspace, base: NewTest, *, as_json: bool) -> None:
        """Args:
        workspace: the workspace, for its settings.
        base: the test that the new one starts from.
        as_json: whether to write `test.json` instead of `test.yaml`.
        """
        self._workspace = workspace
        self._base = base
        self._as_json = as_json

    def ask_all(
        self, place: Place | None, from_options: AuthorInput, category: str | None
    ) -> tuple[Place, AuthorInput]:
        """Ask the questions; return where to write the test, and the user's input.

        Args:
            place: where to write the test, if that is given.
            from_options: the input that is given by options.
            category: the category, if that is given.

        Raises:
            click.Abort: the user quits.
        """
        note(INTRODUCTION)
        place = place or self._ask_place(category)
        if self._base.document:
            return place, from_options
        answers = self._ask_prompt_and_model(from_options)
        if answers.check is None:
            check = ask_check(lambda check: self._try(place, answers, check=check))
            answers = replace(answers, check=check)
        answers = self._ask_at_least(place, answers)
        if not answers.tags:
            read = partial(self._tags, place, answers)
            question = "Tags, such as severity=low, jailbreak=no (Enter: none)"
            answers = replace(answers, tags=ask(question, read, default=""))
        if not (answers.passes or answers.fails):
            answers = self._ask_examples(place, answers)
        return place, answers

    def _ask_prompt_and_model(self, answers: AuthorInput) -> AuthorInput:
        if answers.description is None:
            text = ask_text("What does the test show? One sentence", refuse=_refuse_nothing)
            answers = replace(answers, description=text)
        if answers.model is None and (model := self._ask_model()) is not None:
            answers = replace(answers, model=model)
        if answers.prompt is None:
            note("\nType the prompt on one line; {name} makes a parameter. Or type @FILE to read a")
            note("file, or press Enter to open your editor.")
            answers = replace(answers, prompt=ask("Prompt", _read_prompt, default=""))
        names = ", ".join(prompt_parameters(answers.prompt or ""))
        note(f"Parameters: {names or 'none'}\n")
        return answers

    def _ask_model(self) -> str | None:
        """Return the name of the model or application to test; None: the workspace's model."""
        settings, kinds = self._workspace.settings, target_examples()
        targets = [name for name, entry in settings.models.items() if entry.provider in kinds]
        if settings.model is not None and (not targets or settings.model in targets):
            return None
        kind = ask("A model or your application", _read_kind, default=KINDS[0])
        if kind == KINDS[0]:
            if settings.model is not None:
                return None
            return ask_text("Model to test", default=DEFAULT_MODEL, refuse=_refuse_spaces)
        if not targets:
            note(
                "lve.yaml defines no application yet: docs/testing-an-application.md has examples."
            )
        default = targets[0] if targets else "app/function"
        return ask_text("Its name in lve.yaml", default=default, refuse=_refuse_spaces)

    def _ask_place(self, category: str | None) -> Place:
        root = self._workspace.root
        home = home_of_tests(root)
        if category is None:
            there = categories(root)
            examples = f" ({', '.join(there[:SHOWN_CATEGORIES])}, or a new one)" if there else ""
            category = ask_text(f"Category{examples}", refuse=refusal_of_name)

        def read(name: str) -> Place:
            if reason := refusal_of_name(name.strip()):
                raise ValueError(reason)
            return Place(new_folder(home / str(category) / name.strip()), root)

        shown_home = display_path(home / category)
        return ask(f"Name of the test, for its folder in {shown_home}", read)

    def _try(self, place: Place, answers: AuthorInput, **changed: Any) -> None:
        """Check whether the test is valid with changed input.

        Raises:
            UsageError: it isn't; the message says why.
        """
        test = self._base.with_input(replace(answers, **changed))
        contents = test.contents(name="draft", schema="", as_json=self._as_json)
        problems = problems_of(contents, place, self._workspace)
        if problems:
            raise UsageError(
                "; ".join(
                    problem.message + (f" ({problem.hint})" if problem.hint else "")
                    for problem in problems
                ),
                code="argument",
            )

    def _ask_at_least(self, place: Place, answers: AuthorInput) -> AuthorInput:
        """Ask how many rows must pass, if there can be several: those of a prompt with
        parameters."""
        if answers.at_least is not None or not self._base.with_input(answers).parameters:
            return answers

        def read(text: str) -> int | float | str | None:
            amount = parsed_amount(text.strip()) if text.strip() else None
            self._try(place, answers, at_least=amount)
            return amount

        question = "How many rows have to pass, such as 90% or 42 (Enter: all)"
        return replace(answers, at_least=ask(question, read, default=""))

    def _tags(self, place: Place, answers: AuthorInput, text: str) -> Mapping[str, str]:
        words = [word.strip() for word in text.split(",") if word.strip()]
        tags: dict[str, str] = MAPPING.typed(words)
        self._try(place, answers, tags=tags)
        return tags

    def _ask_examples(self, place: Place, answers: AuthorInput) -> AuthorInput:
        """Ask for example answers that prove the check."""
        note("\nExample answers prove the check without a model (Enter: none).")
        parameters = self._base.with_input(answers).parameters
        if parameters and not answers.args:
            values = {name: ask(f"A value of {name}", str, default="") for name in parameters}
            answers = replace(answers, args={n: text for n, text in values.items() if text})
        passes = partial(self._example, place, answers, "passes")
        answers = replace(answers, passes=ask("An answer that must pass", passes, default=""))
        fails = partial(self._example, place, answers, "fails")
        return replace(answers, fails=ask("An answer that must fail", fails, default=""))

    def _example(self, place: Place, answers: AuthorInput, key: str, text: str) -> tuple[str, ...]:
        texts = (text,) if text.strip() else ()
        self._try(place, answers, **{key: texts})
        return texts


def _refuse_nothing(text: str) -> str | None:
    return None if text else "a sentence is needed"


def _read_kind(text: str) -> str:
    """Return the one of `KINDS` that a text begins.

    Raises:
        ValueError: it begins none.
    """
    word = text.strip().lower().removeprefix("a ").removeprefix("my ").removeprefix("your ")
    kind = next((kind for kind in KINDS if word and kind.startswith(word)), None)
    if kind is None:
        raise ValueError(" or ".join(KINDS))
    return kind


def _refuse_spaces(text: str) -> str | None:
    return None if text and not any(map(str.isspace, text)) else "it is a name such as openai/NAME"


def _read_prompt(text: str) -> str:
    """Return the prompt: `text` itself, the content of `@FILE`, or what the user writes in an
    editor.

    Raises:
        LveError: the prompt is invalid.
    """
    prompt = text
    if text.startswith("@"):
        prompt = read_prompt(text[1:].strip())
    elif not text.strip():
        prompt = _edited()
    prompt_parameters(prompt)
    return prompt


def _edited() -> str:
    try:
        text: str | None = click.edit(extension=".prompt")
    except click.ClickException as error:
        raise UsageError(error.message, code="argument") from None
    if text is None or not text.strip():
        raise UsageError("nothing was written in the editor", code="not_written")
    return text.rstrip("\n")  # editors add a line end
