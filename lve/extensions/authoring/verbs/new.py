"""The command `lve new`: makes a test from its options and from answers to questions."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lve.cli.ask import can_ask
from lve.cli.printing import print_line, print_message, print_text
from lve.cli.shared_options import refuse_pairs, value_callback
from lve.errors import UsageError
from lve.exit_code import ExitCode
from lve.extensions.authoring.check_questions import parsed_check
from lve.extensions.authoring.new_test import AuthorInput, NewTest, parsed_amount
from lve.extensions.authoring.patterns import pattern_names, read_origin
from lve.extensions.authoring.places import (
    folder_of_new_test,
    home_of_tests,
    new_folder,
    refusal_of_name,
)
from lve.extensions.authoring.questions import read_prompt, refuse_non_utf8
from lve.extensions.authoring.writing import Place, problems_of, write
from lve.file_names import DOCUMENT_NAMES
from lve.named_tuples import NamedTuple
from lve.options.values import MAPPING
from lve.pipeline.choosing.loading import choose_workspace
from lve.spec.load import load_spec
from lve.suggest import did_you_mean
from lve.workspace import Workspace, display_path

NEEDED = {
    "path": "PATH (or --category and --name)",
    "description": "--description",
    "prompt": "--prompt or --prompt-file",
    "check": "--check",
}
"""What a test needs -> the options that give it."""


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--category", metavar="NAME", help="The folder of its category, instead of PATH.")
@click.option("--name", metavar="NAME", help="The name of its folder, instead of PATH.")
@click.option("--from", "origin", metavar="PATH|PATTERN", help="Start from a copy of this test.")
@click.option("--description", metavar="TEXT", help="What the test shows, in one sentence.")
@click.option("-m", "--model", metavar="MODEL", help="The model that the test is for.")
@click.option("--prompt", metavar="TEXT", help="The prompt; {name} makes a parameter.")
@click.option("--prompt-file", metavar="FILE", help="A file with the prompt.")
@click.option("--check", metavar="YAML", help="The check of the answer, such as 'contains: Paris'.")
@click.option(
    "--at-least",
    metavar="AMOUNT",
    help="How many rows must pass: a share such as 90%, or a number.  [default: all]",
)
@click.option(
    "--tag",
    "tags",
    multiple=True,
    callback=value_callback(MAPPING),
    metavar="NAME=VALUE",
    help="Add a tag. Repeat for several.",
)
@click.option("--author", envvar="LVE_AUTHOR", help="Your name.  [default: that of LVE_AUTHOR]")
@click.option(
    "--passes",
    multiple=True,
    metavar="ANSWER",
    help="An example answer that must pass. Repeat for several.",
)
@click.option(
    "--fails",
    multiple=True,
    metavar="ANSWER",
    help="An example answer that must fail. Repeat for several.",
)
@click.option(
    "-p",
    "--parameter",
    "args",
    multiple=True,
    callback=value_callback(MAPPING),
    metavar="NAME=VALUE",
    help="A parameter's value in the examples. Repeat for several.",
)
@click.option(
    "--yaml/--json", "as_yaml", default=None, help="Write test.yaml (the default) or test.json."
)
@click.pass_context
def new(ctx: click.Context, /, **options: Any) -> None:
    """Make a new test: its document, prompt file, README and examples.

    On a terminal, asks for everything that the options don't give. A {name} in the prompt or the
    check makes a parameter. Checks the test like `lve check`, and writes nothing if it is invalid.
    `lve list patterns` lists the patterns for --from. A new PATH is below repository/, if the
    workspace has that.

    \b
    lve new
    lve new trust/rivers --from capitals
    lve new hi --description Greets --prompt "Hi {name}" --check "contains: Hi"
    """
    refuse_pairs(options, ("prompt", "prompt_file"))
    if options["path"] is not None and (options["category"] or options["name"]):
        raise click.UsageError("PATH and --category or --name don't go together")
    ctx.exit(execute(options))


def execute(options: Mapping[str, object]) -> int:
    """Make the test and return the exit code.

    Args:
        options: the values of all options.

    Raises:
        LveError, click.UsageError: a mistake of the user; nothing has been written.
    """
    try:
        prepared = _prepared(options)
    except (click.Abort, KeyboardInterrupt):
        click.echo(err=True)
        print_message("nothing was written")
        raise
    write(prepared.contents, prepared.place)
    _print_next_steps(prepared)
    if options["origin"] is not None and options["origin"] not in pattern_names():
        print_message(
            "the recorded answers of the original stay there; `lve record` makes new ones"
        )
    return ExitCode.as_expected


class Prepared(NamedTuple):
    """A valid test and where to write it."""

    test: NewTest
    contents: Mapping[str, bytes]
    place: Place
    workspace: Workspace


def _prepared(options: Mapping[str, Any]) -> Prepared:
    path, answers = _path(options), _answers(options)
    workspace = choose_workspace([path] if path else [])
    base = NewTest() if options["origin"] is None else read_origin(options["origin"])
    place = None
    if path is not None:
        place = Place(new_folder(folder_of_new_test(path, workspace.root)), workspace.root)
    missing = _missing(place, base, answers)
    if missing and not can_ask():
        raise click.UsageError(
            f"missing: {', '.join(missing)} (on a terminal, `lve new` asks for them)"
        )
    as_json = _as_json(options)
    if missing:
        from lve.extensions.authoring.questions import Interview  # only here

        place, answers = Interview(workspace, base, as_json=as_json).ask_all(
            place, answers, _given_category(options)
        )
    assert place is not None
    test = base.with_input(answers)
    _refuse_unknown(answers.args, test.parameters)
    contents = test.contents(name=place.folder.name, schema=place.schema, as_json=as_json)
    if problems := problems_of(contents, place, workspace):
        raise UsageError(
            "\n".join(["nothing was written:", *map(str, problems)]), code="not_written"
        )
    return Prepared(test, contents, place, workspace)


def _refuse_unknown(args: Mapping[str, object], parameters: Sequence[str]) -> None:
    unknown = next((name for name in args if name not in parameters), None)
    if unknown is not None:
        has = f"it has {', '.join(parameters)}" if parameters else "it has none"
        hint = did_you_mean(unknown, parameters) or has
        raise UsageError(
            f"nothing was written: the test has no parameter {unknown!r} ({hint})",
            code="unknown_parameter",
        )


def _path(options: Mapping[str, Any]) -> Path | None:
    path: Path | None = options["path"]
    if path is not None or options["name"] is None:
        return path
    names = [options["category"], options["name"]] if options["category"] else [options["name"]]
    for name in names:
        if reason := refusal_of_name(name):
            raise click.UsageError(f"a folder can't be called {name!r}: {reason}")
    return home_of_tests(choose_workspace(()).root).joinpath(*names)


def _given_category(options: Mapping[str, Any]) -> str | None:
    """Return the category that is given without a name; None if there is none."""
    category: str | None = options["category"]
    if category is not None and (reason := refusal_of_name(category)):
        raise click.UsageError(f"a category can't be called {category!r}: {reason}")
    return category


def _as_json(options: Mapping[str, Any]) -> bool:
    if options["as_yaml"] is not None:
        return not options["as_yaml"]
    return options["path"] is not None and options["path"].name == DOCUMENT_NAMES[0]


def _answers(options: Mapping[str, Any]) -> AuthorInput:
    for option in ("description", "model", "prompt", "check", "author", "at_least"):
        refuse_non_utf8(f"--{option.replace('_', '-')}", options[option] or "")
    for option in ("tags", "args", "passes", "fails"):
        texts = options[option]
        pairs = map("".join, texts.items()) if isinstance(texts, Mapping) else texts
        refuse_non_utf8(f"--{option}", "".join(pairs))
    check = None
    if options["check"] is not None:
        try:
            check = parsed_check(options["check"])
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="'--check'") from None
    prompt = options["prompt"]
    if options["prompt_file"] is not None:
        prompt = read_prompt(options["prompt_file"])
    return AuthorInput(
        description=options["description"],
        model=options["model"],
        prompt=prompt,
        check=check,
        at_least=_amount(options["at_least"]),
        tags=options["tags"],
        author=options["author"],
        args=options["args"],
        passes=options["passes"],
        fails=options["fails"],
    )


def _amount(text: str | None) -> int | float | str | None:
    try:
        return None if text is None else parsed_amount(text.strip())
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--at-least'") from None


def _missing(place: Place | None, base: NewTest, answers: AuthorInput) -> list[str]:
    """Return the options that give what is missing."""
    has = {"path": place is not None}
    for key in ("description", "prompt", "check"):
        has[key] = bool(base.document) or getattr(answers, key) is not None
    return [option for name, option in NEEDED.items() if not has[name]]


def _print_next_steps(prepared: Prepared) -> None:
    test, contents, place, workspace = prepared
    folder = shlex.quote(str(display_path(place.folder)))
    for name in sorted(contents):
        print_line(f"made {display_path(place.folder) / name}")
    spec = load_spec(place.folder, workspace.root)
    in_matrix = test.document.get("matrix") or ()
    options = "".join(f" -p {name}=..." for name in test.parameters if name not in in_matrix)
    missing = [role for role in spec.roles if role not in workspace.settings.roles]
    roles = "".join(f" --role {role}=MODEL" for role in missing)
    steps = {f"lve render {folder}": "shows what is sent, and sends nothing"}
    if any(name.startswith("instances/") for name in contents):
        steps[f"lve run {folder} --model replay{roles}"] = "judges the recorded answers"
        options = ""
    steps[f"lve record {folder}{options}{roles}"] = "asks the model, and keeps its answer"
    print_text("\nNext:")
    for command, what in steps.items():
        print_text(f"  {command}\n      {what}")
