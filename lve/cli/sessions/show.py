"""`lve show`: describes tests and checkers, and reports sessions again."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lve.cli.find_tests import count_instances, each_test, exit_code, view_of_tests
from lve.cli.printing import print_view
from lve.cli.sessions.show_session import show_session
from lve.cli.shared_options import json_option, paths_argument
from lve.errors import Problem, UsageError
from lve.escape import escape, escape_line
from lve.exit_code import ExitCode
from lve.extension_table import extension_part
from lve.file_names import DOCUMENT_NAMES
from lve.pipeline.choosing.all_problems import collect_problems
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.prompts.messages.plan import prompts_of
from lve.prompts.messages.prepared import PreparedPrompt
from lve.prompts.plan import Plan, build_plan
from lve.prompts.tools.toolbox import shown_name
from lve.reporting.reporter import Detail
from lve.spec.discover import is_session_name
from lve.spec.spec import ForModel, Spec
from lve.workspace import display_path

WIDTH = 80
LABEL_WIDTH = 12


@click.command()
@paths_argument
@click.option(
    "--failures",
    is_flag=True,
    help="For a session: print the whole transcript of every result that isn't as expected.",
)
@click.option(
    "-v", "--verbose", is_flag=True, help="For a session: print every result, and all statistics."
)
@click.option(
    "--by",
    multiple=True,
    metavar="NAME",
    help="For a session: also print pass rates by the values of a column or tag.",
)
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
@json_option
def show(
    paths: tuple[str, ...],
    failures: bool,
    verbose: bool,
    by: tuple[str, ...],
    session_dir: str | None,
    as_json: bool,
) -> int:
    """Describe tests or checkers, or report a session again.

    For a test, shows models, prompts, parameters, checkers, tags and rows. In the line of a
    prompt, [name] is an answer of the model.

    For a session, shows what `lve run` printed at its end, and with PATHs of tests also their
    transcripts. `lve session list` lists the sessions. The exit code is 0, whatever the verdicts:
    only that of `lve run` or `lve session merge` depends on them.

    \b
    lve show repository/privacy/test.json
    lve show repository --json
    lve show last --failures
    lve show last repository/privacy
    lve show last --by topic
    lve show checker contains
    lve show lve.baseline.json
    """
    if len(paths) > 1 and paths[0] == "checker" and not Path("checker").exists():
        return print_view(extension_part("view of checkers")(paths[1:]), as_json=as_json)
    if _is_baseline(paths):
        return print_view(extension_part("baseline view")(Path(paths[0])), as_json=as_json)
    if paths and is_session_name(paths[0]):
        if failures and verbose:
            refusal = "--failures and --verbose exclude each other"
            raise UsageError(refusal, code="conflicting_options")
        detail: Detail = "whole" if paths[1:] else "verbose" if verbose else "normal"
        detail = "failures" if failures else detail
        form = "json" if as_json else "text"
        show_session(paths[0], paths[1:], session_dir=session_dir, form=form, detail=detail, by=by)
        return ExitCode.as_expected
    if failures or verbose or by or session_dir is not None:
        option = "--failures" if failures else "--verbose" if verbose else "--session-dir"
        option = "--by" if by else option
        raise UsageError(
            f"{option} needs a session: `lve show last {option}`", code="conflicting_options"
        )
    return _show_tests(paths, as_json=as_json)


def _show_tests(paths: tuple[str, ...], *, as_json: bool) -> int:
    problems: list[Problem] = []
    documents: list[dict[str, object]] = []
    count = 0
    for spec in each_test(paths, choose_workspace(paths), problems):
        lines: list[str] = []
        with collect_problems(spec.file, problems, "describing the test"):
            plan = build_plan(spec)
            problems += plan.warnings
            if as_json:
                documents.append(describe(plan, problems))
            else:
                lines += _lines(plan, problems)
            count += 1
        for line in lines:
            click.echo(line)
    print_view(view_of_tests(documents, problems), as_json=as_json)
    return exit_code(count, problems, paths)


def _is_baseline(paths: tuple[str, ...]) -> bool:
    """Whether the only path can be a file of `lve compare --save`."""
    path = Path((*paths, ".")[0])
    is_named = len(paths) == 1 and path.name not in DOCUMENT_NAMES
    return is_named and path.suffix == ".json" and path.is_file()


def _lines(plan: Plan, problems: list[Problem]) -> Iterator[str]:
    spec = plan.spec
    yield click.style(escape_line(str(display_path(spec.file))), bold=True)
    yield _wrapped(spec.description, "  ")
    for label, text in facts(plan, count_instances(spec, problems)):
        yield _wrapped(text, f"  {label:{LABEL_WIDTH}}")
    yield ""


def _wrapped(text: str, start: str) -> str:
    wrapped = textwrap.fill(
        escape_line(text),
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
    )
    return escape(wrapped)  # again: a CI command may begin one of the new lines


def describe(plan: Plan, problems: list[Problem]) -> dict[str, object]:
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
        "for_models": {
            model: {"args": dict(own.args), **_model_values(own)}
            for model, own in spec.for_models.items()
        },
        "prompts": [_prompt_json(prompt) for prompt in prompts_of(plan)],
        "parameters": list(spec.parameters),
        "parameter_types": dict(spec.parameter_types),
        "checkers": [{"name": each.name, "args": dict(each.args)} for each in spec.checkers],
        "pass_when": spec.pass_when,
        "expect": spec.expect.in_words,
        "repeats": spec.repeats,
        "tags": [{"name": tag.name, "value": tag.value} for tag in spec.tags],
        "skip": spec.skip,
        "instances": count_instances(spec, problems),
        "warnings": list(spec.warnings),
    }


def _prompt_json(prompt: PreparedPrompt) -> dict[str, object]:
    return {
        "name": prompt.name,
        "repetitions": prompt.repetitions,
        "messages": [message.to_json() for message in prompt.messages],
    }


def _model_values(own: ForModel) -> dict[str, object]:
    """Return the values, other than model args, that a test sets for one model alone."""
    expect = own.expect and own.expect.in_words
    return {"expect": expect, "repeats": own.repeats, "timeout_s": own.timeout_s}


def facts(plan: Plan, counts: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the lines of `lve show` for a test, each a label and a text."""
    spec = plan.spec
    if spec.skip is not None:
        yield "skipped", spec.skip
    if spec.author:
        yield "author", spec.author
    if spec.variant:
        yield "variant", spec.variant
    yield "models", ", ".join(spec.models) or "that of lve.yaml, or --model"
    for model, own in spec.for_models.items():
        values = {**own.args, **{key: v for key, v in _model_values(own).items() if v is not None}}
        yield "for one", f"{model}: {_pairs(values)}"
    if spec.model_args:
        yield "model args", _pairs(spec.model_args)
    for prompt in prompts_of(plan):
        yield "prompt", _prompt_text(prompt)
    if spec.prompt_object is not None:
        yield "prompt", "a prompt object"
    if spec.infer_cfg is not None:
        yield "prompt", f"a template over a data set ({_type_of(spec, 'inferencer')})"
    if spec.tools is not None:
        use = spec.tools
        yield "tools", ", ".join(shown_name(tool.name, use.code) for tool in use.tools)
    if spec.simulated_user is not None:
        times = amount(spec.simulated_user.max_turns, "message")
        yield "user", f"played by a model (--role user=MODEL), at most {times}"
    yield "parameters", ", ".join(_parameter(spec, name) for name in spec.parameters) or "none"
    for checker in spec.checkers:
        yield "checker", f"{checker.name} {_pairs(checker.args)}".rstrip()
    if len(spec.checkers) > 1:
        yield "pass when", f"{spec.pass_when} of the checkers pass"
    yield "expect", spec.expect.in_words
    if spec.tags:
        yield "tags", ", ".join(f"{tag.name}={tag.value}" for tag in spec.tags)
    yield "rows", _counts_text(counts)


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
