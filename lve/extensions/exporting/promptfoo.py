"""`lve export promptfoo`: tests as configurations of promptfoo."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import yaml

from lve.cli.find_tests import each_test, exit_code
from lve.cli.shared_options import paths_argument
from lve.data.problems import row_problem
from lve.data_classes import dataclass, field
from lve.documents.json_lines import file_json
from lve.documents.read import DocumentPosition
from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem, PromptError, UsageError
from lve.extensions.exporting.losses import CODE, Losses
from lve.extensions.exporting.promptfoo_checks import (
    ASKING,
    FILES,
    NotCarriedError,
    Variables,
    assertion_of,
    provider_of,
)
from lve.files.new_files import write_new_folder
from lve.messages import Message
from lve.models.openai.wire import message_body
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.loading import choose_workspace, named_model
from lve.plurals import amount
from lve.prompts.messages.plan import prompts_of
from lve.prompts.plan import build_plan
from lve.settings.settings import Settings
from lve.spec.spec import Spec

CONFIG = "promptfooconfig.yaml"
MAX_ROWS = 100_000


@click.command()
@paths_argument
@click.option("-m", "--model", metavar="NAME", help="Ask this model instead of the tests' own.")
@click.option("-o", "--output", metavar="FOLDER", required=True, help="Write to this new folder.")
def promptfoo(paths: tuple[str, ...], model: str | None, output: str) -> int:
    """Write tests as configurations of promptfoo, one for each test.

    Checks become assertions that give the same verdicts, of JavaScript where promptfoo's own mean
    something else. What has no equal is left out, and said.

    \b
    lve export promptfoo tests/capitals -o exported
    promptfoo eval -c exported/tests/capitals/promptfooconfig.yaml
    """
    workspace = choose_workspace(paths)
    problems, losses = list[Problem](), Losses()
    files: dict[str, bytes] = {}
    count = 0
    for _, variants in groupby(each_test(paths, workspace, problems), key=lambda spec: spec.file):
        count += 1
        specs = list(variants)
        try:
            with error_boundary("writing its configuration"):
                config = Configuration(workspace.settings, model, losses, problems).of(specs)
        except LveError as error:
            problems += problems_of(specs[0].file, error)
            continue
        if config is not None:
            home = specs[0].path.partition("@")[0].strip("/.") or "test"
            plain = json.loads(file_json(config))
            text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=96)
            files[f"{home}/{CONFIG}"] = text.encode("utf-8", "replace")
    losses.print()
    if count and not files and not problems:
        raise UsageError("no test has an equal in promptfoo", code="nothing_to_export")
    if files:
        try:
            write_new_folder(Path(output), files)
        except FileExistsError:
            raise UsageError(f"{output} exists: name a new folder", code="exists") from None
        click.echo(f"{amount(len(files), 'configuration')} in {output}", err=True)
    return exit_code(count, problems, paths)


@dataclass(slots=True)
class Configuration:
    """Writes the configuration of a test."""

    settings: Settings
    model: str | None
    losses: Losses
    problems: list[Problem]
    variables: Variables = field(default_factory=Variables, init=False)

    def of(self, variants: list[Spec]) -> dict[str, object] | None:
        """Return the configuration; None if the test has no equal.

        Args:
            variants: the test, or the variants of its prompt.

        Raises:
            LveError: the test is invalid.
        """
        spec = variants[0]
        prompts = [prompt for each in variants for prompt in self._prompts(each)]
        providers = [*self._providers(spec)]
        asserted = [*self._assertions(spec)]
        if spec.expect.kind != "pass":
            self._lose(spec, f"expect: {spec.expect.in_words}, as each row must pass there")
        if spec.repeats > 1:
            self._lose(spec, f"repeats: `promptfoo eval --repeat {spec.repeats}` asks as often")
        if not (prompts and providers and asserted):
            self._lose(spec, "the test, as too little is left of it")
            return None
        return {
            "description": spec.description,
            "prompts": prompts,
            "providers": providers,
            "defaultTest": {"assert": asserted},
            "tests": [*self._tests(spec)],
        }

    def _lose(self, spec: Spec, why: str, position: DocumentPosition | None = None) -> None:
        place = position or DocumentPosition(spec.file, ())
        self.losses.add(place.problem(why, code=CODE))

    def _prompts(self, spec: Spec) -> Iterator[dict[str, str]]:
        plan = build_plan(spec, model=self.settings.entry(named_model(spec, self.settings)))
        prompts = prompts_of(plan)
        if spec.attack not in (None, "none"):
            self._lose(spec, "attacks, whose rows are made when lve runs")
        elif len(prompts) != 1 or spec.tools is not None or spec.simulated_user is not None:
            self._lose(
                spec, "prompts of several runs, data sets' templates, tools, simulated users"
            )
        elif any(message.is_open for message in prompts[0].written[:-1]):
            self._lose(spec, "conversations of several turns")
        else:
            chat = [self._message(m) for m in prompts[0].written if not m.is_open]
            yield {"label": spec.variant or spec.name, "raw": json.dumps(chat, ensure_ascii=False)}

    def _message(self, message: Message) -> Any:
        return self._filled(message_body(message))

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.variables.template(value)
        if isinstance(value, dict):
            return {
                key: text if key in ("role", "type") else self._filled(text)
                for key, text in value.items()
            }
        return [self._filled(part) for part in value] if isinstance(value, list | tuple) else value

    def _providers(self, spec: Spec) -> Iterator[dict[str, object]]:
        names = (self.model,) if self.model else spec.models or (self.settings.model or "",)
        for name in names:
            provider = provider_of(name, spec.for_model(name), self.settings)
            if provider is None:
                what = f"the model {name}, which promptfoo has no name for" if name else "no model"
                self._lose(spec, what)
                continue
            config = provider["config"]
            if isinstance(config, dict) and not {"max_tokens", "max_completion_tokens"} & {*config}:
                self._lose(spec, "no limit of tokens: promptfoo's is 1,024 unless a config says")
            yield provider

    def _assertions(self, spec: Spec) -> Iterator[dict[str, object]]:
        if spec.pass_when == "any" and len(spec.checkers) > 1:
            self._lose(spec, "pass_when: any")
            return
        for check in spec.checkers:
            try:
                yield assertion_of(check.name, check.args, self.variables)
            except NotCarriedError as error:
                self._lose(spec, str(error), check.position)
            if check.name in ASKING:
                why = f"the words in which `{check.name}` asks: promptfoo has its own"
                self._lose(spec, why, check.position)

    def _tests(self, spec: Spec) -> Iterator[dict[str, object]]:
        rows: Iterable[Any] = select_instances(spec, RunOptions(), self.settings, once=True)
        for number, row in enumerate(rows):
            if number == MAX_ROWS:
                self._lose(spec, f"rows after the first {MAX_ROWS:,}")
                return
            if isinstance(row, Problem):
                self.problems.append(row)
                continue
            try:
                values = self.variables.row(row.parameters)
            except PromptError as error:
                self.problems.append(row_problem(spec, row, str(error), code=error.code))
                continue
            why = "rows with model args of their own" if row.model_args else None
            if any(text.startswith(FILES) for text in values.values()):
                why = "rows whose values name files, which promptfoo would read"
            if any(map(self.variables.is_replaced, values.values())):
                why = "rows whose values name variables, which promptfoo would fill in"
            if why is not None:
                self.losses.add_row(spec, row, why)
                continue
            yield {"vars": values} if values else {}
