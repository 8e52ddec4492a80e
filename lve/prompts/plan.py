"""Builds the plan of a test, in whatever dialect the test is written.

This is the only module that knows all dialects. `build_plan` picks one and returns a `Plan`, which
turns each instance into conversations with open turns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lve.effort import Effort
from lve.errors import Problem, SpecError
from lve.prompts.conversation import Conversation, Plan
from lve.prompts.messages.plan import build_message_plan
from lve.settings.model_settings import ModelSettings
from lve.spec.model import Spec
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.prompts.answers.answer_format import JsonAnswer

__all__ = ["Conversation", "Plan", "answer_format_of", "build_plan", "left_out_examples"]


def build_plan(spec: Spec, *, model: ModelSettings | None = None) -> Plan:
    """Read and check the prompts of a test.

    Args:
        spec: the test.
        model: settings of the model that it runs against. Only a test with `infer_cfg` uses them:
            the model's kind and meta template.

    Raises:
        SpecError: the prompts are invalid; has all their problems.
        SlowTestError: they take too long.
    """
    with Effort():
        return _build(spec, model)


def _build(spec: Spec, model: ModelSettings | None) -> Plan:
    if spec.prompt_object is not None:
        # Imported here, so that only tests with a prompt object pay for it.
        from lve.prompts.objects.plan import build_prompt_object_plan

        return build_prompt_object_plan(spec)
    if spec.infer_cfg is not None:
        from lve.prompts.templates.build import build_dataset_plan

        if spec.output_schema is not None:
            raise SpecError([_no_schema(spec)])
        return build_dataset_plan(spec, model)
    plan = build_message_plan(spec)
    return plan if spec.output_schema is None else replace(plan, answer=answer_format_of(spec))


def _no_schema(spec: Spec) -> Problem:
    message = "`output_schema` has no effect beside `infer_cfg`"
    hint = "use the check `json_schema`"
    return Problem(
        message, display_path(spec.file), path="$.output_schema", hint=hint, code="output_schema"
    )


def left_out_examples(plan: Plan) -> list[Problem]:
    """Return a warning if previews of `plan` lack examples because only a model can choose them."""
    if plan.asks_for is None:
        return []
    return [
        Problem(
            f"examples are left out: choosing them takes {plan.asks_for}, and nothing is sent here",
            display_path(plan.spec.file),
            path="$.infer_cfg.retriever",
            hint="`lve run` asks for them, and so does `lve render --embed`",
            severity="warning",
            code="examples_by_model",
        )
    ]


def answer_format_of(spec: Spec) -> JsonAnswer | None:
    """Return the format that a test's answers must have; None if any text will do.

    Raises:
        SpecError: its prompt object or its schema is invalid.
    """
    if spec.prompt_object is None:
        if spec.output_schema is None or spec.infer_cfg is not None:
            return None
        from lve.prompts.objects.output_schema import schema_answer

        return schema_answer(spec)
    from lve.prompts.objects.plan import build_prompt_object_plan

    return build_prompt_object_plan(spec).answer
