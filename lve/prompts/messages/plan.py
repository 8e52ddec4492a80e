"""Tests whose prompts are lists of messages (`prompt`, `prompt_file`, `multi_run_prompt`).

`build_message_plan` reads and checks everything once; filling an instance is then cheap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from lve.data_classes import dataclass
from lve.documents.read import DocumentPosition
from lve.documents.validation.schema import in_file_order
from lve.errors import PlaceholderError, Problem, PromptError, SpecError
from lve.prompts.conversation import Conversation, Plan
from lve.prompts.fill import fill, parse_template
from lve.prompts.messages.checks import BRACES, MAX_REPORTED, check_prompt
from lve.prompts.messages.parameters import Parameters, unknown_name
from lve.prompts.messages.prepared import PreparedPrompt, prepared_prompt
from lve.prompts.messages.texts import PromptText, literal_names, read_prompt_text
from lve.prompts.size import MAX_INSTANCE_CHARACTERS, MAX_RUNS, CharacterBudget, message_size
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS
from lve.spec.simulated_user import KEY
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.prompts.answers.answer_format import JsonAnswer
    from lve.prompts.tools.toolbox import Toolbox

UNFILLED = ("math",)
"""Arguments of checks in which braces are notation."""


@dataclass(repr=False, eq=False, frozen=True, slots=True)
class MessagePlan:
    """A `Plan` over prepared prompts."""

    spec: Spec
    prompts: tuple[PreparedPrompt, ...]
    """In the order of the document, each once: `repetitions` is a field of a prompt."""
    warnings: tuple[Problem, ...] = ()
    toolbox: Toolbox | None = None
    answer: JsonAnswer | None = None
    """The format of the last answer of each run (`output_schema`); None if any text will do."""
    asks_for: ClassVar[None] = None
    rows: ClassVar[None] = None

    @property
    def only_prompt(self) -> PreparedPrompt | None:
        """The prompt, if one request per instance is all that the test asks; else None."""
        prompt = self.prompts[0]
        is_only = len(self.prompts) == prompt.repetitions == 1 and self.spec.simulated_user is None
        takes_any = self.toolbox is None and self.answer is None and not prompt.with_answers
        return prompt if is_only and takes_any and prompt.has_one_turn else None

    def preview(self, instance: Instance) -> tuple[Conversation, ...]:
        """Return one conversation per run, in order (repetitions written out).

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        toolbox = None if self.toolbox is None else self.toolbox.filled(instance)
        first = self.prompts[0]
        if self.spec.simulated_user is not None:
            return tuple(self._with_user(self._runs(instance, toolbox), instance.parameters))
        if len(self.prompts) == 1 and first.repetitions == 1:
            return (first.filled(instance.parameters, toolbox, self.answer),)
        return self._runs(instance, toolbox)

    def _runs(self, instance: Instance, toolbox: Toolbox | None) -> tuple[Conversation, ...]:
        runs: list[Conversation] = []
        budget = CharacterBudget(MAX_INSTANCE_CHARACTERS)
        for prompt in self.prompts:
            conversation = prompt.filled(instance.parameters, toolbox, self.answer)
            budget.take(prompt.repetitions * sum(map(message_size, conversation.messages)))
            runs += [conversation] * prompt.repetitions
        return tuple(runs)

    def _with_user(
        self, runs: Sequence[Conversation], parameters: Mapping[str, object]
    ) -> Iterator[Conversation]:
        assert self.spec.simulated_user is not None
        template = self.spec.simulated_user
        user = template._replace(instructions=fill(template.instructions, parameters))
        yield from (replace(run, user=user) for run in runs)


def build_message_plan(spec: Spec) -> MessagePlan:
    """Read and check all prompts of a test.

    Raises:
        SpecError: the prompts are invalid; has all their problems.
    """
    problems: list[Problem] = []
    parameters = _parameters(spec)
    _check_runs(spec)
    prompts = list(_read_all(spec, problems))
    # The tools of a tool server aren't known yet.
    tools = spec.tools.tools if spec.tools is not None and not spec.tools.servers else ()
    for prompt in prompts:
        problems += in_file_order(check_prompt(prompt, parameters, spec.folder, tools))
    toolbox = None
    if spec.tools is not None:
        from lve.prompts.tools.toolbox import build_toolbox  # late: most tests have no tools

        try:
            toolbox = build_toolbox(spec, lambda placeholder: unknown_name(placeholder, parameters))
        except SpecError as error:
            problems += error.problems
    problems += _problems_of_user(spec, parameters)
    problems += _literal_names_in_checks(spec, parameters)
    if any(problem.severity == "error" for problem in problems):
        raise SpecError(problems)
    prepared = tuple(map(prepared_prompt, prompts))
    return MessagePlan(spec, prepared, tuple(problems), toolbox)


def _problems_of_user(spec: Spec, parameters: Parameters) -> Iterator[Problem]:
    """Yield the problems of the placeholders in the simulated user's instructions."""
    if spec.simulated_user is None:
        return
    path = (KEY, "instructions")
    try:
        placeholders = list(parse_template(spec.simulated_user.instructions).placeholders())
    except PlaceholderError as error:
        yield DocumentPosition(spec.file, path).problem(str(error), code=error.code)
        return
    for placeholder in placeholders:
        if (wrong := unknown_name(placeholder, parameters)) is not None:
            yield DocumentPosition(spec.file, path).problem(wrong[0], wrong[1], code="placeholder")


def _literal_names_in_checks(spec: Spec, parameters: Parameters) -> Iterator[Problem]:
    """Yield a warning for each parameter in doubled braces in a text of a check."""
    for checker in spec.checkers if parameters.names else ():
        for key, text in checker.args.items():
            names = literal_names(text, parameters.names or ()) if isinstance(text, str) else ()
            for match in islice(names, MAX_REPORTED if key not in UNFILLED else 0):
                message = f"{match[0]} is compared as {{{match[1]}}}, not as the value"
                hint = f"write {{{match[1]}}}: checks take single braces, whatever `braces` says"
                yield checker.position.problem(message, hint, "warning", code=BRACES)


def _parameters(spec: Spec) -> Parameters:
    """Return the names that placeholders may have: `prompt_parameters`, or else the columns of the
    data set."""
    if spec.dataset is None or spec.parameters:
        return Parameters(spec.parameters)
    from lve.data.columns import first_columns  # only tests with a data set pay for it

    columns = first_columns(spec)
    names = None if columns is None else tuple(sorted(columns - KNOWN_MODEL_ARGS))
    return Parameters(names, are_columns=True)


def _check_runs(spec: Spec) -> None:
    runs = sum(source.repetitions for source in spec.prompts)
    if runs > MAX_RUNS:
        message = (
            f"the prompts and their repetitions are {runs:,} runs; at most {MAX_RUNS:,} are allowed"
        )
        raise SpecError([_problem(spec, message)])


def _read_all(spec: Spec, problems: list[Problem]) -> Iterator[PromptText]:
    """Yield the prompts of a test that can be read; append the problems of the others to
    `problems`."""
    budget = CharacterBudget(MAX_INSTANCE_CHARACTERS)
    for source in spec.prompts:
        try:
            prompt = read_prompt_text(source, spec.folder, spec.braces)
            budget.take(sum(map(message_size, prompt.messages)))
        except SpecError as error:
            problems += error.problems
            continue
        except PromptError as error:
            problems.append(_problem(spec, str(error)))
            return
        yield prompt


def _problem(spec: Spec, message: str) -> Problem:
    key = "multi_run_prompt" if spec.is_multi_run else "prompt"
    return Problem(message, display_path(spec.file), path=f"$.{key}", code="prompt")


def prompts_of(plan: Plan) -> tuple[PreparedPrompt, ...]:
    """Return the prompts of a plan; none for the other dialects."""
    return plan.prompts if isinstance(plan, MessagePlan) else ()
