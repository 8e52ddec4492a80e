"""Describes a test, for `lve show` and `lve list`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lve.data.instances import iter_instances
from lve.errors import Problem
from lve.problem_limits import few_problems
from lve.prompts.conversation import Plan
from lve.prompts.messages.plan import MessagePlan, PreparedPrompt
from lve.spec.model import Expectation, Spec
from lve.workspace import display_path


def count_instances(spec: Spec, problems: list[Problem]) -> dict[str, int]:
    """Return the number of usable instances per source; adds problems of others to `problems`."""
    counts: dict[str, int] = {}
    for instance in few_problems(iter_instances(spec)):
        if isinstance(instance, Problem):
            problems.append(instance)
        else:
            counts[instance.source] = counts.get(instance.source, 0) + 1
    return counts


def describe(plan: Plan, problems: list[Problem]) -> dict[str, Any]:
    """Return the description of a test as JSON."""
    spec = plan.spec
    return {
        "path": spec.path,
        "file": str(display_path(spec.file)),
        "category": spec.category,
        "name": spec.name,
        "description": spec.description,
        "author": spec.author,
        "models": list(spec.models),
        "model_args": dict(spec.model_args),
        "prompts": [_prompt_json(prompt) for prompt in prompts_of(plan)],
        "parameters": list(spec.parameters),
        "parameter_types": dict(spec.parameter_types),
        "checkers": [{"name": each.name, "args": dict(each.args)} for each in spec.checkers],
        "pass_when": spec.pass_when,
        "expect": expectation_text(spec.expect),
        "repeats": spec.repeats,
        "tags": [{"name": tag.name, "value": tag.value} for tag in spec.tags],
        "skip": spec.skip,
        "instances": count_instances(spec, problems),
        "warnings": list(spec.warnings),
    }


def prompts_of(plan: Plan) -> tuple[PreparedPrompt, ...]:
    """Return the prompts as written; empty for dialects without messages in the document."""
    return plan.prompts if isinstance(plan, MessagePlan) else ()


def _prompt_json(prompt: PreparedPrompt) -> dict[str, Any]:
    return {
        "name": prompt.name,
        "repetitions": prompt.repetitions,
        "messages": [message.to_json() for message in prompt.messages],
    }


def expectation_text(expect: Expectation) -> str:
    """Return the expected outcome in words."""
    if expect.kind != "rate":
        return expect.kind
    return f"pass rate {expect.comparison} {expect.threshold:g} (confidence {expect.confidence:g})"


def facts(plan: Plan, counts: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the lines of `lve show`: label and text."""
    spec = plan.spec
    if spec.skip is not None:
        yield "skipped", spec.skip
    if spec.author:
        yield "author", spec.author
    yield "models", ", ".join(spec.models) or "none: give --model"
    if spec.model_args:
        yield "model args", _pairs(spec.model_args)
    for prompt in prompts_of(plan):
        yield "prompt", _prompt_text(prompt)
    if spec.prompt_object is not None:
        yield "prompt", "a prompt object"
    if spec.infer_cfg is not None:
        yield "prompt", f"a template over a data set ({_type_of(spec, 'inferencer')})"
    yield "parameters", ", ".join(_parameter(spec, name) for name in spec.parameters) or "none"
    for checker in spec.checkers:
        yield "checker", f"{checker.name} {_pairs(checker.args)}".rstrip()
    if len(spec.checkers) > 1:
        yield "pass when", f"{spec.pass_when} of the checkers pass"
    yield "expect", expectation_text(spec.expect)
    if spec.tags:
        yield "tags", ", ".join(f"{tag.name}={tag.value}" for tag in spec.tags)
    yield "instances", _counts_text(counts)


def _parameter(spec: Spec, name: str) -> str:
    kind = spec.parameter_types.get(name)
    return f"{name} ({kind})" if kind else name


def _prompt_text(prompt: PreparedPrompt) -> str:
    roles = [
        f"[{message.variable or message.role.value}]" if message.is_open else message.role.value
        for message in prompt.messages
    ]
    name = f"{prompt.name}: " if prompt.name else ""
    times = f" ({prompt.repetitions} times)" if prompt.repetitions > 1 else ""
    return f"{name}{' > '.join(roles)}{times}"


def _type_of(spec: Spec, part: str) -> str:
    value = (spec.infer_cfg or {}).get(part)
    return str(value.get("type", part)) if isinstance(value, dict) else part


def _pairs(values: Any) -> str:
    return ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}"
        for name, value in values.items()
    )


def _counts_text(counts: dict[str, int]) -> str:
    if not counts:
        return "none: give parameters with -p NAME=VALUE"
    return ", ".join(f"{count} in {source}" for source, count in counts.items())
