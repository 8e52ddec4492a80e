"""Renders a test for `lve render`: fills its prompts for its instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from lve.data.problems import row_problem
from lve.data_classes import dataclass, field
from lve.error_boundary import error_boundary, with_error_boundary
from lve.errors import LveError, Problem, PromptError, UnexpectedError
from lve.extensions.rendering.token_count import CountTokens
from lve.messages import Message
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.instances import check_selection, select_instances
from lve.pipeline.choosing.loading import named_model
from lve.pipeline.model_args import base_args, request_args
from lve.prompts.attachments import part_words, with_files
from lve.prompts.conversation import Conversation, Plan, RowPlan
from lve.prompts.messages.plan import prompts_of
from lve.prompts.messages.prepared import PreparedPrompt
from lve.prompts.plan import build_plan, left_out_examples
from lve.prompts.tools.toolbox import Toolbox
from lve.settings.settings import Settings
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path

Choose = Callable[[RowPlan, Instance], Sequence[int]]


@dataclass(frozen=True, slots=True)
class RenderSelection:
    """Which instances to render, and how."""

    parameters: Mapping[str, str] = field(default_factory=dict)
    """Values that override the parameters of the instances, as in `lve run`."""
    names: tuple[str, ...] = ()
    """The files whose instances are rendered; empty: all."""
    limit: int | None = None
    model: str | None = None
    """The model to render for; its kind and meta template matter."""
    provenance: bool = False
    """Whether to track where each character comes from, for data sets."""
    choose: Choose | None = None
    """Asks models to choose examples; None: leave such examples out and send nothing."""
    count: CountTokens | None = None
    """Counts tokens; None: don't count."""


@dataclass(frozen=True, slots=True)
class Filled:
    """An instance and its conversations."""

    plan: Plan
    instance: Instance
    runs: Sequence[Conversation]
    examples: Sequence[int] | None = None
    """Positions of its examples, if a model chose them."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A test and its instances. The prompts are filled while one iterates over the instances."""

    plan: Plan
    instances: Iterable[Filled]
    settings: Settings
    selection: RenderSelection

    @property
    def written(self) -> tuple[PreparedPrompt, ...]:
        """The prompts before filling; empty for dialects without messages in the document."""
        return prompts_of(self.plan)


def render_test(
    spec: Spec, settings: Settings, selection: RenderSelection, problems: list[Problem]
) -> Rendered | None:
    """Return a test with its filled prompts; None if the prompts are invalid.

    Args:
        spec: the test.
        settings: the workspace's settings.
        selection: which instances to render, and how.
        problems: gets all problems; those of instances only while one iterates over them.

    Raises:
        UsageError: the test lacks a parameter of the command line (raised while iterating).
    """
    try:
        with error_boundary("building the prompts"):
            plan = _plan(spec, selection, settings)
    except LveError as error:
        problems += problems_of(spec.file, error)
        return None
    problems += plan.warnings
    conversations = _filled(plan, selection, settings, problems)
    return Rendered(plan, conversations, settings, selection)


def _plan(spec: Spec, selection: RenderSelection, settings: Settings) -> Plan:
    model = settings.entry(named_model(spec, settings, selection.model))
    return build_plan(spec, model=model, trace=selection.provenance)


def _filled(
    plan: Plan, selection: RenderSelection, settings: Settings, problems: list[Problem]
) -> Iterator[Filled]:
    options = RunOptions(instances=selection.names, parameters=selection.parameters)
    check_selection(plan.spec, options)
    instances = select_instances(plan.spec, options, settings, once=True)
    left_out = left_out_examples(plan) if selection.choose is None else []
    for instance in _readable(instances, plan.spec, selection.limit):
        if isinstance(instance, Problem):
            problems.append(instance)
            continue
        problems += left_out
        left_out = []
        try:
            with error_boundary("filling the prompts"):
                filled = _one_filled(plan, instance, selection)
                if plan.rows is not None:
                    problems += plan.rows.row_warnings(instance)
        except (PromptError, UnexpectedError) as error:
            problems.append(row_problem(plan.spec, instance, str(error), code=error.code))
        else:
            yield filled


def _readable(
    instances: Iterator[Instance | Problem], spec: Spec, limit: int | None
) -> Iterator[Instance | Problem]:
    """Yield instances; an error while reading them becomes a problem of this test."""
    try:
        yield from with_error_boundary(islice(instances, limit), "reading the rows")
    except LveError as error:
        yield from problems_of(spec.file, error)


def _one_filled(plan: Plan, instance: Instance, selection: RenderSelection) -> Filled:
    if plan.asks_for is None or selection.choose is None or plan.rows is None:
        runs, examples = plan.preview(instance), None
    else:
        examples = selection.choose(plan.rows, instance)
        runs = plan.rows.preview(instance, examples)
    return Filled(plan, instance, with_files(runs, plan.spec.file), examples)


def _model_args(rendered: Rendered, instance: Instance) -> dict[str, object]:
    spec, settings = rendered.plan.spec, rendered.settings
    model = named_model(spec, settings, rendered.selection.model)
    return request_args(base_args(settings, model, spec), instance, RunOptions(), settings)


def rendered_json(rendered: Rendered) -> dict[str, object]:
    """Return a rendered test as JSON: `prompts` as written, `instances` with their `runs`."""
    spec = rendered.plan.spec
    return {
        "path": spec.path,
        "variant": spec.variant,
        "file": str(display_path(spec.file)),
        "prompts": [
            {
                "name": prompt.name,
                "repetitions": prompt.repetitions,
                "messages": [message.to_json() for message in prompt.written],
            }
            for prompt in rendered.written
        ],
        "instances": [
            {
                "source": filled.instance.source,
                "line": filled.instance.line,
                "parameters": dict(filled.instance.parameters),
                "model_args": _model_args(rendered, filled.instance),
                "runs": [_run_json(run, rendered.selection.count) for run in filled.runs],
                **_row_json(filled),
            }
            for filled in rendered.instances
        ],
    }


def _row_json(filled: Filled) -> dict[str, object]:
    """Return the steps from a row of a data set to its prompt, as JSON."""
    rows = filled.plan.rows
    return {} if rows is None else {"row": rows.view(filled.instance, filled.examples)}


def token_count(conversation: Conversation, count: CountTokens) -> int:
    """Return the number of tokens in a conversation's texts, without those of the chat format."""
    if conversation.prompt is not None:
        return count(conversation.prompt)
    written = [message_text(message) for message in conversation.messages if not message.is_open]
    return sum(map(count, written))


def message_text(message: Message) -> str:
    """Return a message as text; other parts than text in brackets."""
    content = message.content
    parts = (
        [content]
        if isinstance(content, str) and content
        else [_part_text(part) for part in content or ()]
    )
    if message.image_url is not None:
        parts.append(f"[image: {message.image_url}]")
    parts += [f"[calls {call.as_text}]" for call in message.tool_calls]
    return "\n".join(parts)


def _part_text(part: Mapping[str, object]) -> str:
    if isinstance(part.get("text"), str):
        return str(part["text"])
    return f"[{part_words(part)}]"


def _run_json(conversation: Conversation, count: CountTokens | None) -> dict[str, object]:
    return {
        **({"tokens": token_count(conversation, count)} if count is not None else {}),
        "name": conversation.name,
        "messages": [message.to_json() for message in conversation.messages],
        "open_turns": list(conversation.open_turns),
        **_tools_json(conversation.toolbox),
        **({"simulated_user": conversation.user._asdict()} if conversation.user else {}),
    }


def _tools_json(toolbox: Toolbox | None) -> dict[str, object]:
    """Return the tools that the model may call, and their mocks with filled placeholders."""
    if toolbox is None:
        return {}
    code = toolbox.code
    tools = [
        {**tool._asdict(), **({"code": code[tool.name]} if tool.name in code else {})}
        for tool in toolbox.tools
    ]
    mocks = {
        name: [{"args": dict(mock.args), "result": mock.result} for mock in several]
        for name, several in (toolbox.mocks or {}).items()
    }
    return {"tools": tools, "mocks": mocks}
