"""`lve export openai-batch`: the requests of tests, as a file of OpenAI's batch API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from lve.cli.find_tests import each_test, exit_code
from lve.cli.shared_options import paths_argument
from lve.data.problems import row_problem
from lve.data_classes import dataclass, field
from lve.documents.json_lines import file_json
from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem, PromptError, UnexpectedError, UsageError
from lve.extensions.exporting.losses import CODE, Losses, write_text
from lve.json_types import JsonValue
from lve.models.chat_model import ChatRequest
from lve.models.known_models import known_model
from lve.models.openai.wire import chat_body
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.loading import choose_workspace, named_model
from lve.pipeline.model_args import base_args, request_args
from lve.plurals import amount
from lve.prompts.attachments import with_files
from lve.prompts.conversation import Conversation, Plan
from lve.prompts.plan import build_plan
from lve.settings.settings import Settings
from lve.spec.spec import Spec

URL = "/v1/chat/completions"
MAX_REQUESTS = 50_000
"""Of a file, as OpenAI's API has it."""


@click.command("openai-batch")
@paths_argument
@click.option("-m", "--model", metavar="NAME", help="Ask this model instead of the tests' own.")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), metavar="N", help="At most N rows per test."
)
@click.option("-o", "--output", metavar="FILE", help="Write this new file, instead of printing.")
def openai_batch(
    paths: tuple[str, ...], model: str | None, limit: int | None, output: str | None
) -> int:
    """Write the requests of tests as lines of OpenAI's batch API. Sends nothing.

    A line's `custom_id` is test, row, run and repeat. `lve run --batch` submits such a file itself,
    and judges the answers.

    \b
    lve export openai-batch repository/privacy -m openai/gpt-6-luna -o r.jsonl
    """
    workspace = choose_workspace(paths)
    problems, losses = list[Problem](), Losses()
    requests = Requests(workspace.settings, model, limit, problems, losses)
    tests = each_test(paths, workspace, problems)
    count = write_text(requests.lines(tests), output)
    if output is not None:
        click.echo(f"{amount(count, 'request')} in {output}", err=True)
    if count > MAX_REQUESTS:
        place = Path(output or "-")
        why = f"a batch takes {MAX_REQUESTS:,} requests: split the file"
        losses.add(Problem(why, place, MAX_REQUESTS + 1, code=CODE))
    losses.print()
    return exit_code(requests.tests, problems, paths)


@dataclass(slots=True)
class Requests:
    """Makes the lines of tests."""

    settings: Settings
    model: str | None
    """The model of all tests; None: each has its own."""
    limit: int | None
    problems: list[Problem]
    """Gets what is wrong with tests and rows."""
    losses: Losses
    tests: int = field(default=0, init=False)
    """How many tests were read."""

    def lines(self, specs: Iterator[Spec]) -> Iterator[str]:
        """Yield a line for each request."""
        for spec in specs:
            model = named_model(spec, self.settings, self.model)
            if not model:
                raise UsageError(f"{spec.path} names no model: say -m NAME", code="no_model")
            self.tests += 1
            try:
                with error_boundary("building the prompts"):
                    plan = build_plan(spec, model=self.settings.entry(model))
                yield from self._of_test(plan, model)
            except LveError as error:
                self.problems += problems_of(spec.file, error)

    def _of_test(self, plan: Plan, model: str) -> Iterator[str]:
        spec = plan.spec.for_model(model)
        rows = select_instances(spec, RunOptions(limit=self.limit), self.settings, once=True)
        base = base_args(self.settings, model, spec)
        for row in rows:
            if isinstance(row, Problem):
                self.problems.append(row)
                continue
            try:
                with error_boundary("filling the prompts"):
                    runs = with_files(plan.preview(row), spec.file)
            except (PromptError, UnexpectedError) as error:
                self.problems.append(row_problem(spec, row, str(error), code=error.code))
                continue
            args = request_args(base, row, RunOptions(), self.settings)
            for number, run in enumerate(runs, 1):
                why = _not_carried(run)
                if why is not None:
                    self.losses.add_row(spec, row, why)
                    continue
                name = f"{spec.path} {row.source}:{row.line}"
                name += f" run {number}" if len(runs) > 1 else ""
                yield from self._of_run(spec, name, run, model, args)

    def _of_run(
        self, spec: Spec, name: str, run: Conversation, model: str, args: dict[str, object]
    ) -> Iterator[str]:
        entry, traits = self.settings.entry(model), known_model(model, self.settings)
        renames = {**(traits.renames if traits else {}), **(entry.renames if entry else {})}
        at_server = (entry and entry.model) or model.partition("/")[2] or model
        tools = run.toolbox.tools if run.toolbox is not None else ()
        renamed = {renames.get(arg, arg): value for arg, value in args.items()}
        request = ChatRequest(run.messages[: run.open_turns[0]], renamed, tools=tools)
        body: JsonValue = chat_body(at_server, request)
        for repeat in range(1, spec.repeats + 1):
            custom_id = f"{name} repeat {repeat}" if spec.repeats > 1 else name
            fields = {"custom_id": custom_id, "method": "POST", "url": URL, "body": body}
            yield file_json(fields)


def _not_carried(run: Conversation) -> str | None:
    """Return why a run isn't a single request of the API; None if it is."""
    if run.prompt is not None or run.score:
        return "texts to continue or rate, as a batch has chats only"
    if len(run.open_turns) != 1 or run.user is not None:
        return "conversations of several turns, as later requests have earlier answers"
    if run.answer is not None:
        return "prompts with `output_schema`, as lve says the format by the model's means"
    if run.has_files:
        return "rows with files, as lve reads these when it sends them"
    return None
