"""Estimates the calls, tokens and cost of a run, test by test, without sending anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lve.data_classes import dataclass, field
from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem, PromptError, UnavailableError
from lve.execution.budgets.bounds import answer_bound
from lve.execution.budgets.cost import cost_of
from lve.execution.request_limits import BYTES_PER_TOKEN, expected_tokens
from lve.extensions.dry_run.asked_estimate import AskedEstimate, AskingEstimator
from lve.messages import Usage
from lve.models.chat_model import ChatRequest
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import check_selection, select_instances
from lve.pipeline.choosing.loading import InvalidTest, models_of
from lve.pipeline.choosing.repeats import repeats_of
from lve.pipeline.model_args import base_args, request_args
from lve.pipeline.prices import Prices
from lve.pipeline.prospects.idle_expectations import idle_expectation
from lve.pipeline.prospects.rate_prospects import Prospect, has_own_size, prospect, rate_problems
from lve.pipeline.prospects.row_count import RowCount
from lve.pipeline.spec_for_model import for_model
from lve.prompts.attachments import with_inspected_files
from lve.prompts.plan import Conversation, Plan, build_plan, left_out_examples
from lve.sessions.instance_result import REPLAY
from lve.settings.settings import Settings
from lve.spec.spec import Expectation, Instance, Spec
from lve.workspace import display_path

TYPICAL_ANSWER_TOKENS = 128
"""Assumed length of an answer for which there is neither `max_tokens` nor a recorded response."""


@dataclass(slots=True)
class Estimate:
    """The estimate for one test against one model."""

    path: str
    model: str
    instances: int = 0
    """Number of instances times repeats."""
    calls: int = 0
    is_most: bool = False
    """Whether there are fewer calls if the user of a conversation ends it."""
    prompt_tokens: int = 0
    """Estimated: a token is about four characters."""
    completion_tokens: int = 0
    """Estimated from recorded responses and `max_tokens`."""
    cost: float | None = None
    """US dollars; None without a price."""
    asked: AskedEstimate = field(default_factory=AskedEstimate)
    """Requests of its checkers and its simulated user to other models."""
    prospect: Prospect | None = None
    """What its pass rate can decide, if it has one that isn't counted."""
    expect: Expectation = field(default_factory=Expectation)


@dataclass(slots=True)
class DryRun:
    """The estimate for a whole run."""

    estimates: list[Estimate] = field(default_factory=list)
    invalid: list[InvalidTest] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    """What isn't part of the numbers."""

    @property
    def calls(self) -> int:
        """Requests to tested models without retries, if nothing is cached."""
        return sum(estimate.calls for estimate in self.estimates)

    @property
    def asked(self) -> AskedEstimate:
        """Requests of checkers and simulated users, in all tests."""
        return sum((estimate.asked for estimate in self.estimates), start=AskedEstimate())

    @property
    def cost(self) -> float | None:
        """US dollars, of the models that have a price, judges included; None if none has."""
        costs = [
            cost for estimate in self.estimates for cost in (estimate.cost, estimate.asked.cost)
        ]
        priced = [cost for cost in costs if cost is not None]
        return sum(priced) if priced else None


def estimate_run(specs: Iterable[Spec], options: RunOptions, settings: Settings) -> DryRun:
    """Return the estimate for running these tests.

    Raises:
        UsageError: a test has no model, or hasn't a parameter that the command line gives.
    """
    dry = DryRun()
    for spec in specs:
        if spec.skip is not None:
            continue
        check_selection(spec, options)
        try:
            for model in models_of(spec, options, settings):
                with error_boundary("estimating the test"):
                    plan = build_plan(spec, model=settings.entry(model))
                    spec_for_model = for_model(spec, model, options, settings)
                    dry.estimates.append(
                        _estimate(spec_for_model, plan, model, options, settings, dry)
                    )
        except UnavailableError as error:
            where = display_path(spec.file)
            message = f"{spec.path} is skipped: {error}"
            dry.notes.append(Problem(message, where, severity="warning", code=error.code))
        except LveError as error:
            dry.invalid.append(InvalidTest.of(spec.path, spec.file, error))
    return dry


def _estimate(
    spec: Spec, plan: Plan, model: str, options: RunOptions, settings: Settings, dry: DryRun
) -> Estimate:
    estimate = Estimate(spec.path, model, expect=spec.expect)
    repeats = repeats_of(spec, options, settings)
    base = base_args(settings, model, spec)
    usage = Usage()
    problems: list[Problem] = []
    size, asking = RowCount.of(spec), AskingEstimator(spec, options, settings)
    for instance in select_instances(spec, options, settings, model=model, once=model != REPLAY):
        if isinstance(instance, Problem):
            problems.append(instance)
            continue
        if not size.instances:
            dry.notes += left_out_examples(plan)
        size.add(instance)
        try:
            conversations = with_inspected_files(plan.preview(instance), spec.file)
        except PromptError:
            continue  # an error result, and no call
        asking.add(instance, conversations, repeats)
        bound = answer_bound(request_args(base, instance, options, settings))
        for index, conversation in enumerate(conversations):
            turns, usage_of_call = _one(conversation, _recorded_tokens(instance, index), bound)
            estimate.calls += turns * repeats
            estimate.is_most |= conversation.user is not None
            usage += Usage(
                usage_of_call.prompt_tokens * repeats, usage_of_call.completion_tokens * repeats
            )
    estimate.instances, estimate.asked = size.instances * repeats, asking.total
    if spec.expect.kind == "rate" and size.instances:
        wrong = rate_problems(spec, size, options, settings)
        problems += wrong
        if has_own_size(options):
            dry.notes += idle_expectation(spec, size.instances, settings)
        if not (wrong or spec.expect.counts_results or model == REPLAY):
            estimate.prospect = prospect(spec, size, settings, options)
    if problems:
        dry.invalid.append(InvalidTest(spec.path, tuple(problems)))
    estimate.prompt_tokens = usage.prompt_tokens
    estimate.completion_tokens = usage.completion_tokens
    estimate.cost = cost_of(usage, Prices(settings, options).of(model))
    return estimate


def _one(
    conversation: Conversation, recorded: Sequence[int], bound: int | None
) -> tuple[int, Usage]:
    """Return the number of requests of one conversation, and their tokens. Each request has all
    messages before its turn."""
    usage, answers = Usage(), 0
    turns = conversation.open_turns
    for number, turn in enumerate(turns):
        answer = recorded[number] if number < len(recorded) else TYPICAL_ANSWER_TOKENS
        answer = min(answer, bound) if bound is not None else answer
        prompt = round(expected_tokens(_request(conversation, turn))) + answers
        usage += Usage(prompt, answer)
        answers += answer
    if conversation.user is not None:
        size = round(expected_tokens(_request(conversation, turns[-1])))
        for _ in range(conversation.user.max_turns):
            if not conversation.user.is_fresh:  # what the user says, and the answers
                size += answers + TYPICAL_ANSWER_TOKENS
                answers = TYPICAL_ANSWER_TOKENS
            usage += Usage(size, TYPICAL_ANSWER_TOKENS)
        return len(turns) + conversation.user.max_turns, usage
    toolbox = conversation.toolbox
    if toolbox is not None and (toolbox.mocks is not None or toolbox.code):
        # A call, and the answer to its result.
        return 2 * len(turns), usage + usage
    return len(turns), usage


def _request(conversation: Conversation, turn: int) -> ChatRequest:
    tools = conversation.toolbox.tools if conversation.toolbox is not None else ()
    return ChatRequest(conversation.messages[:turn], prompt=conversation.prompt, tools=tools)


def _recorded_tokens(instance: Instance, index: int) -> list[int]:
    """Return the approximate lengths, in tokens, of the recorded answers of one conversation."""
    responses = instance.recorded.responses if instance.recorded else ()
    if index >= len(responses):
        return []
    response = responses[index]
    texts = [response] if isinstance(response, str) else list(response.values())
    return [len(text) // BYTES_PER_TOKEN + 1 for text in texts]
