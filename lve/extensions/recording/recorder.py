"""Records a test's answers: shows each, asks whether to keep it, and writes it at once.
While answers arrive, they are printed without secrets and escape sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Literal

import click

from lve.cli.ask import ask, ask_choice, note
from lve.cli.printing import print_error, print_line, print_message, print_text
from lve.data.instances import make_instance
from lve.data_classes import dataclass, field
from lve.errors import LveError
from lve.escape import keyless, one_line, visible
from lve.extensions.recording.recording import Recording, Target
from lve.models.error_kinds import CHECKER_ERROR
from lve.pipeline.background import BackgroundSession
from lve.pipeline.choosing.instances import COMMAND_LINE, typed_parameters
from lve.secrets.redaction import own_redactor
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path


class StreamPrinter:
    """Prints the streamed answers to one instance.

    The stream is untrusted, and the server knows its API key. So text that may be the beginning of
    a secret is held back until more has arrived.
    """

    def __init__(self) -> None:
        self._waiting = ""
        """Text that has arrived and isn't printed yet."""
        self._printed: list[str] = []
        """The printed text of each answer."""

    def begin(self) -> None:
        """Start with another instance."""
        self._printed = []

    def listen(self) -> Callable[[str], None]:
        """Start with another answer, or another attempt at one; return a function that takes its
        pieces as they arrive."""
        self.end()
        self._printed.append("")
        return self._add

    def end(self) -> None:
        """Print the text that was held back."""
        if self._printed and self._printed[-1] + self._waiting:
            self._show(self._waiting)
            click.echo()
        self._waiting = ""

    def has_printed(self, texts: Sequence[str]) -> bool:
        """Whether the last printed answers are these texts."""
        printed = [text.strip() for text in self._printed[-len(texts) :]]
        return bool(texts) and printed == [text.strip() for text in texts]

    def _add(self, piece: str) -> None:
        self._waiting += piece
        ready = own_redactor().settled(self._waiting)
        if ready > 0:
            self._show(self._waiting[:ready])
            self._waiting = self._waiting[ready:]

    def _show(self, text: str) -> None:
        text = keyless(text)
        self._printed[-1] += text
        click.echo(visible(text), nl=False)


AT_ONCE = 32
"""Instances that run at once if the user isn't asked about each answer."""
SHOWN_VALUE = 60
Results = list[InstanceResult]


class UserQuit(Exception):
    """The user wants to stop; recorded answers stay."""


@dataclass(slots=True)
class Recorder:
    """Runs instances of a test, shows the answers and records them."""

    background: BackgroundSession
    spec: Spec
    models: tuple[str, ...]
    target: Target
    provider_of: Callable[[str], str]
    printer: StreamPrinter
    is_interactive: bool
    """Whether the user is asked about each answer."""
    max_answers: int | None = None
    """The number of answers after which to stop; None: no limit."""
    recorded: dict[Path, int] = field(default_factory=dict)
    """File -> the number of answers recorded in it."""
    errors: int = 0
    """The number of answers that could not be received, judged or written."""
    crashes: int = 0
    """The number of answers whose checker crashed."""

    @property
    def is_full(self) -> bool:
        """Whether enough is recorded."""
        return self.max_answers is not None and sum(self.recorded.values()) >= self.max_answers

    def record_each(self, instances: Iterator[Instance]) -> None:
        """Run the instances one by one, and ask the user whether to keep each answer.

        Raises:
            UserQuit: the user wants to stop.
        """
        for instance in instances:
            for model in self.models:
                while not self.is_full and self._record(instance, model) == "again":
                    pass
            if self.is_full:
                return

    def record_all(self, instances: Iterator[Instance]) -> None:
        """Run the instances, many at once, and record all answers."""
        left = self.max_answers
        while left is None or left > 0:
            some = list(islice(instances, AT_ONCE if left is None else min(AT_ONCE, left)))
            if not some:
                return
            left = None if left is None else left - len(some)
            futures = [
                self.background.submit(self.spec, model, [instance])
                for instance in some
                for model in self.models
            ]
            for future in futures:
                results = self._results(future)
                for result in results:
                    self._show(result)
                self._keep([result for result in results if result.verdict != "error"])

    def _record(self, instance: Instance, model: str) -> Literal["done", "again"]:
        note("")
        for name, value in instance.args.items():
            note(f"{name} = {one_line(str(value), SHOWN_VALUE)}")
        self.printer.begin()
        results = self._results(self.background.submit(self.spec, model, [instance]))
        self.printer.end()
        for result in results:
            self._show(result)
        judged = [result for result in results if result.verdict != "error"]
        question = "Save it? y(es), n(o), a(gain), q(uit)"
        if not judged:
            question = "Try it again? a(gain), n(o), q(uit)"
        answer = ask_choice(question, "ynaq" if judged else "anq", default="y" if judged else "n")
        if answer == "y":
            self._keep(judged)
        elif answer == "q":
            raise UserQuit
        return "again" if answer == "a" else "done"

    def _results(self, future: Future[Results]) -> Results:
        try:
            return future.result()
        except LveError as error:
            self.errors += 1
            print_error(error)
            return []

    def _show(self, result: InstanceResult) -> None:
        for response in result.responses:
            texts = [response] if isinstance(response, str) else response.values()
            if not self.printer.has_printed(list(texts)):
                names = [""] if isinstance(response, str) else [f"{name}: " for name in response]
                for name, text in zip(names, texts, strict=True):
                    print_text(f"{name}{text}")
        if result.verdict == "error":
            self.errors += 1
            self.crashes += result.error_kind == CHECKER_ERROR
        print_line(f"{result.verdict}: {result.reason}" if result.reason else result.verdict)

    def _keep(self, results: Results) -> None:
        recording = Recording([self.spec], self.target, provider_of=self.provider_of)
        for result in results:
            recording.take(result)
        for file, written in recording.write().items():
            self.recorded[file] = self.recorded.get(file, 0) + written
            if self.is_interactive:
                print_line(f"recorded in {display_path(file)}")
        for failure in recording.failures:
            self.errors += 1
            print_error(failure)
        if recording.with_secrets:
            print_message("not recorded, because its args contain a secret")


def asked_instances(
    spec: Spec, parameters: Mapping[str, str], *, again: bool
) -> Iterator[Instance]:
    """Yield instances for whose parameters the user is asked.

    Args:
        spec: the test.
        parameters: parameters that have a value already.
        again: whether to ask again after the first instance; the last values are the defaults.

    Raises:
        click.Abort: the user quits.
    """
    values: Mapping[str, str] = parameters
    for number in count(1):
        answers = {
            name: _ask_value(spec, name, values.get(name))
            for name in spec.parameters
            if name not in parameters
        }
        values = {**parameters, **answers}
        args = typed_parameters(spec, values)
        yield make_instance(spec, args, f"{COMMAND_LINE} (asked)", number)
        if not again:
            return


def _ask_value(spec: Spec, name: str, default: str | None) -> str:
    def read(text: str) -> str:
        typed_parameters(spec, {name: text})
        return text

    return ask(name, read, default=default)


def repeated(instances: Iterable[Instance]) -> Iterator[Instance]:
    """Yield instances over and over. From the second round on, each gets a source and line of its
    own, so that it counts as another instance."""
    numbers = count(1)
    first_round: list[Instance] = []
    for instance in instances:
        first_round.append(instance)
        yield instance
    while first_round:
        for instance in first_round:
            yield replace(instance, source=f"{COMMAND_LINE} (again)", line=next(numbers))
