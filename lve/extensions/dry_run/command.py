"""`lve run --dry-run`: prints the estimate of a run; nothing is sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace

from lve.cli.printing import Note, View, print_message, print_problems, print_view, warn
from lve.cli.run.command_options import RunRequest
from lve.errors import with_code
from lve.exit_code import exit_code_of
from lve.extensions.dry_run.asked_estimate import AskedEstimate
from lve.extensions.dry_run.estimate import DryRun, Estimate, estimate_run
from lve.json_types import JsonValue
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.loading import choose_workspace, load_tests, unused_settings
from lve.plurals import amount
from lve.reporting.prospects import counted_line, prospect_json, prospect_lines


def dry_run(request: RunRequest) -> int:
    """Print the estimate of a run and return the exit code."""
    paths = request.paths or (".",)
    workspace = choose_workspace(paths)
    if unused := unused_settings(paths, workspace):
        warn(with_code(unused, "settings_unused"))
    options = RunOptions(**request.fields)
    loaded = load_tests(paths, workspace, warn=warn, options=options)
    dry = estimate_run(loaded.specs, options, workspace.settings)
    dry.invalid[:0] = loaded.invalid
    print_view(View(lambda: _document(dry), _lines(dry)), as_json=request.format != "text")
    for note in dry.notes:
        print_message(note)
    print_problems(problem for test in dry.invalid for problem in test.problems)
    done = sum(estimate.instances for estimate in dry.estimates)
    return exit_code_of(invalid_tests=len(dry.invalid), done=done)


def _lines(dry: DryRun) -> Iterator[str]:
    for estimate in dry.estimates:
        yield f"{estimate.path} · {estimate.model}: {_amounts(estimate)}"
        if counted := counted_line(estimate.expect):
            yield f"    {counted}"
        if estimate.prospect is not None:
            per_run = estimate.calls / estimate.instances
            lines = prospect_lines(estimate.prospect, calls_per_run=per_run)
            yield from (f"    {line}" for line in lines)
    total = Estimate("", "")
    for estimate in dry.estimates:
        total.calls += estimate.calls
        total.is_most |= estimate.is_most
        total.prompt_tokens += estimate.prompt_tokens
        total.completion_tokens += estimate.completion_tokens
    total.cost, total.asked = dry.cost, replace(dry.asked, cost=None)  # `dry.cost` includes both
    yield f"total: {_amounts(total)}; nothing was sent"
    unpriced = sorted({e.model for e in dry.estimates if e.cost is None})
    if unpriced:
        yield Note(f"no price in lve.yaml for: {', '.join(unpriced)}")


def _amounts(estimate: Estimate) -> str:
    costs = [cost for cost in (estimate.cost, estimate.asked.cost) if cost is not None]
    cost = f", ${sum(costs):.4f}" if costs else ""
    most = "at most " if estimate.is_most else ""
    return (
        f"{most}{amount(estimate.calls, 'call')}, about {estimate.prompt_tokens} tokens in and "
        f"{estimate.completion_tokens} out{_role_calls(estimate.asked)}{cost}"
    )


def _role_calls(estimate: AskedEstimate) -> str:
    if not estimate.calls:
        return ""
    return (
        f"; other roles get {amount(estimate.calls, 'call')}, "
        f"about {estimate.prompt_tokens} tokens in and {estimate.completion_tokens} out"
    )


def _document(dry: DryRun) -> dict[str, object]:
    return {
        "calls": dry.calls,
        "prompt_tokens": sum(estimate.prompt_tokens for estimate in dry.estimates),
        "completion_tokens": sum(estimate.completion_tokens for estimate in dry.estimates),
        "cost": dry.cost,
        "asked": dry.asked.to_json(),
        "tests": [_estimate_json(estimate) for estimate in dry.estimates],
        "invalid": [
            {
                "path": test.path,
                "problems": [problem.message_with_code for problem in test.problems],
            }
            for test in dry.invalid
        ],
    }


def _estimate_json(estimate: Estimate) -> dict[str, JsonValue]:
    own = estimate.prospect and prospect_json(estimate.prospect)
    values = asdict(replace(estimate, prospect=None))
    return {**values, "expect": estimate.expect.in_words, "prospect": own}
