"""Builds the plan of a test, in whatever dialect the test is written.

`build_plan` returns a `Plan`, which turns each instance into conversations with open turns. The
dialect of another tool is an extension. The core asks for it by the key of the document that it
reads, so it is imported only for a test that has the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from lve.errors import Problem
from lve.extension_table import extension_part
from lve.limits.effort import Effort
from lve.prompts.conversation import Conversation, Plan
from lve.prompts.messages.plan import build_message_plan
from lve.settings.model_settings import ModelSettings
from lve.spec.spec import Spec
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.prompts.answers.answer_format import JsonAnswer

__all__ = [
    "Conversation",
    "Dialect",
    "Plan",
    "answer_format_of",
    "build_plan",
    "foreign_dialect",
    "left_out_examples",
]


class Dialect(Protocol):
    """How another tool writes prompts. An extension's class derives from it."""

    def build_plan(
        self, spec: Spec, model: ModelSettings | None = None, *, trace: bool = False
    ) -> Plan:
        """Read and check the prompts of a test.

        Args:
            spec: the test.
            model: settings of the model that it runs against.
            trace: whether rendered texts have the origin of each character, where the dialect's
                plan has `rows`.

        Raises:
            SpecError: the prompts are invalid; has all their problems.
        """
        ...

    def with_files(self, spec: Spec) -> Spec:
        """Return a test with the content of its prompt's files in place of their names, so that
        what is hashed is what is sent."""
        return spec

    def answer_format(self, spec: Spec) -> JsonAnswer | None:
        """Return the format that the answers must have; None if any text will do.

        Raises:
            SpecError: the prompts are invalid.
        """
        return None

    def hashes(self, spec: Spec) -> Mapping[str, str]:
        """Return SHA-256 sums that a session keeps of the test's prompts, by name; none if they are
        invalid."""
        return {}


def foreign_dialect(spec: Spec) -> Dialect | None:
    """Return the dialect of a test; None if its prompts are LVE's own."""
    key = "infer_cfg" if spec.prompt_object is None else "prompt_object"
    if getattr(spec, key) is None:
        return None
    dialect: Dialect = extension_part(key)
    return dialect


def build_plan(spec: Spec, *, model: ModelSettings | None = None, trace: bool = False) -> Plan:
    """Read and check the prompts of a test.

    Args:
        spec: the test.
        model: settings of the model that it runs against. Only a test with `infer_cfg` uses them:
            the model's kind and meta template.
        trace: whether texts that are rendered from rows have the origin of each character.

    Raises:
        SpecError: the prompts are invalid; has all their problems.
        SlowTestError: they take too long.
    """
    dialect = foreign_dialect(spec)
    with Effort():
        if dialect is not None:
            return _attacked(dialect.build_plan(spec, model, trace=trace))
        plan = build_message_plan(spec)
        if spec.output_schema is not None:
            plan = replace(plan, answer=answer_format_of(spec))
        return _attacked(plan)


def _attacked(plan: Plan) -> Plan:
    return extension_part("attacked plan")(plan) if plan.spec.attack else plan


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
        SpecError: its prompts or its schema are invalid.
    """
    dialect = foreign_dialect(spec)
    if dialect is not None:
        return dialect.answer_format(spec)
    if spec.output_schema is None:
        return None
    from lve.prompts.answers.object_file import schema_answer  # late: few tests have one

    return schema_answer(spec)
