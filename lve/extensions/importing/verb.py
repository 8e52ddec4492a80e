"""`lve import`: converts the tests of another tool to test folders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from itertools import islice
from pathlib import Path

import click

from lve.cli.check.check_output import Checked, document, print_checked, summary
from lve.cli.check.command import MAX_ROWS, each_checked
from lve.cli.printing import View, print_message, print_view, warn
from lve.cli.shared_options import json_option
from lve.errors import LveError, UsageError, with_code
from lve.escape import PlacedWarning, excerpt
from lve.exit_code import ExitCode
from lve.extensions.importing.boxes.box import TOOLS, BoxOptions, Tool, set_up
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.inspect_logs.session import import_log
from lve.extensions.importing.lm_eval import importer as lm_eval
from lve.extensions.importing.openai_evals import read_evals
from lve.extensions.importing.opencompass import read_configs
from lve.extensions.importing.promptfoo import read_config
from lve.extensions.importing.proof import ProvenTests
from lve.importers import Imported, ImportedTest
from lve.json_types import JsonObject
from lve.plugins import Plugin, all_plugins, find_plugin
from lve.plurals import amount
from lve.suggest import did_you_mean

DEFAULTS = BoxOptions()
BOXED: Mapping[str, tuple[Tool, Callable[[str, BoxOptions], Imported]]] = {
    "lm-eval": (lm_eval.TOOL, lm_eval.read_with),
}
"""Tools that are run, in an environment of their own, and what imports their tests."""
CONFIGS = ("opencompass", "aisbench")
"""The names of the importer of their configurations."""
EVALS = "openai-evals"
PROVEN = (*BOXED, EVALS, *CONFIGS, "promptfoo")
"""Formats whose tests can be compared with their tool."""


def import_tests(
    name: str, source: str | Path, options: BoxOptions = DEFAULTS, data: Path | None = None
) -> Imported:
    """Return the tests that an importer finds in a file or folder.

    Args:
        name: the name of the format: `promptfoo`.
        source: the file or folder to read; for tools that are run, also a name of theirs.
        options: what a tool that is run may do.
        data: the folder with the rows that the source names.

    Raises:
        UsageError: there is no importer of that name, or it reads no data.
        PluginError: the importer can't be loaded, or fails.
        LveError: the importer refuses the source.
    """
    if name in BOXED and data is None:
        return BOXED[name][1](str(source), options)
    if (options.loads or options.prove) and name == "promptfoo" and data is None:
        return read_config(Path(source), options)
    if options.loads and name not in CONFIGS:
        which = f"{' and '.join(CONFIGS)} (and promptfoo, without --data)"
        raise UsageError(f"--loaders: only {which} have code that is run", code="usage")
    if name in CONFIGS:
        return read_configs(Path(source), data, options)
    if options.prove and name == EVALS and data is None:
        return read_evals(Path(source), options)
    plugin = find_plugin("importer", name)
    if plugin is None:
        names = sorted({plugin.name for plugin in all_plugins() if plugin.kind == "importer"})
        hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
        raise UsageError(
            f"there is no importer {name!r}: {hint}; `lve plugins` lists them", code="unknown_name"
        )
    read = plugin.load()
    with plugin.guarded("failed while it read the source"):
        path = Path(source)
        imported = read(path) if data is None else _reader_of_data(name, read)(path, data=data)
        if isinstance(imported, Imported):
            tests = tuple(imported.tests)
            imported = next(
                (test for test in tests if not isinstance(test, ImportedTest)), imported
            )
        if isinstance(imported, Imported):
            sentences = imported.left_out
            return Imported(
                tests,
                tuple(text if type(text) is PlacedWarning else str(text) for text in sentences),
                tuple(map(str, imported.notes)),
            )
    raise _wrong(plugin, imported)


def _reader_of_data(name: str, read: Callable[..., object]) -> Callable[..., object]:
    if "data" not in signature(read).parameters:
        raise UsageError(f"--data: the importer {name!r} reads no data", code="usage")
    return read


def _wrong(plugin: Plugin, imported: object) -> LveError:
    expected = f"{Imported.__module__}.{Imported.__name__} with {ImportedTest.__name__}s"
    return plugin.problem(f"returned a {type(imported).__name__}, not a {expected}")


INSPECT = "inspect"
"""The format whose files become sessions."""
MAX_PRINTED = 100
"""Warnings about what was left out that are printed at most."""


@click.command("import")
@click.argument("format_", metavar="[FORMAT]", required=False)
@click.argument("source", required=False)
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write the test folders here. It must be empty or not exist.",
)
@click.option(
    "--data",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Read the rows that SOURCE names from here.",
)
@click.option("--setup", metavar="TOOL", help="Install a tool that is run, such as lm-eval.")
@click.option("--network", is_flag=True, help="Let the tool download its data sets.")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Rows of a task at most, of a tool."
)
@click.option(
    "--loaders",
    is_flag=True,
    help="Have OpenCompass', AISBench's or promptfoo's own code make the rows.",
)
@click.option("--prove", is_flag=True, help="Compare what is imported with the tool itself.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=1),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="For the tool.",
)
@json_option
def import_(
    format_: str | None,
    source: str | None,
    output: Path | None,
    data: Path | None,
    setup: str | None,
    network: bool,
    loaders: bool,
    prove: bool,
    limit: int | None,
    timeout_s: float,
    as_json: bool,
) -> int:
    """Convert the tests of another tool to test folders.

    Prints what it leaves out, and checks each test like `lve check`. FORMAT is promptfoo,
    openai-evals, opencompass, aisbench, lm-eval, helm (a folder of runs), ragas, dataset (rows of a
    file), corpus (requests to refuse: HarmBench, XSTest and others), inspect (a log, which becomes
    a session in FOLDER), or the name of a plugin. Runs no code of SOURCE, but lm-eval and --loaders
    do: in an environment of their own, in the sandbox.

    \b
    lve import promptfoo promptfooconfig.yaml -o tests
    lve import --setup lm-eval
    lve import lm-eval arc_easy --network -o tests
    """
    if setup is not None:
        return _set_up(setup)
    if format_ is None or source is None or output is None:
        raise click.UsageError(
            "name a format, a source and a folder: `lve import promptfoo FILE -o tests`"
        )
    if format_ not in BOXED and not Path(source).exists():
        raise click.BadParameter(f"{excerpt(source)} doesn't exist", param_hint="SOURCE")
    if format_ == INSPECT:
        return _import_log(Path(source), output)
    if prove and format_ not in PROVEN:
        raise click.UsageError(f"--prove runs the tool itself, which goes with {', '.join(PROVEN)}")
    options = BoxOptions(network, limit, timeout_s, loaders, prove)
    imported = import_tests(format_, source, options, data)
    left_out = list(islice(imported.left_out, MAX_PRINTED))
    if more := len(imported.left_out) - len(left_out):
        left_out.append(f"{amount(more, 'more thing', 'is')} left out")
    try:
        # Written first: if the reader of stdout is gone, printing ends the command.
        write_tests(imported.tests, output)
    finally:  # where nothing can be written, these say why
        if not as_json or not imported.tests:
            for sentence in left_out:
                warn(type(sentence)(with_code(sentence, "importer_left_out")))
    if not as_json:
        for note in islice(imported.notes, MAX_PRINTED):
            print_message(f"note: {note}")
    return _report(imported, output, left_out, prove=prove, as_json=as_json)


def _report(
    imported: Imported, output: Path, left_out: list[str], *, prove: bool, as_json: bool
) -> int:
    """Check the written tests, print that, and return the exit code."""
    checked: list[Checked] = []
    for result in each_checked((str(output),), MAX_ROWS):
        checked.append(result)
        if not as_json:
            print_checked(result)
    lines = summary(checked, trust=False).split("\n")
    is_valid = all(result.is_valid for result in checked)
    parts: dict[str, object] = {"left_out": left_out, "notes": [*imported.notes]}
    proof = _proven(imported, output, lines) if prove and is_valid else None
    if proof is not None:
        parts["proof"] = proof
    print_view(View(lambda: {**document(checked), **parts}, lines), as_json=as_json)
    if proof is not None and any(each["number_of_differences"] for each in proof.values()):
        return ExitCode.failed
    return ExitCode.as_expected if is_valid else ExitCode.invalid


def _proven(imported: Imported, output: Path, lines: list[str]) -> dict[str, JsonObject]:
    """Compare the written tests with the tool; return what was found, and add it to the lines."""
    assert isinstance(imported, ProvenTests)
    proofs = dict(imported.prove(output))
    prompts = sum(proof.prompts for proof in proofs.values())
    scores = sum(proof.scores for proof in proofs.values())
    tools = dict.fromkeys(str(proof.tool["tool"]) for proof in proofs.values())
    lines.append(
        f"compared with {', '.join(tools) or 'the tool'}: {amount(prompts, 'prompt')} "
        f"and {amount(scores, 'score')}"
    )
    for home, proof in proofs.items():
        why = f": {excerpt(proof.why, 200)}" if proof.why else ""
        if proof.differences:
            lines.append(f"{home}: {len(proof.differences):,} differ: see its import.json")
        elif not proof.scores or why:
            what = "not all" if proof.scores else "no score"
            lines.append(f"{home}: {what} could be compared{why}")
    return {home: proof.to_json() for home, proof in proofs.items()}


def _import_log(source: Path, output: Path) -> int:
    """Import a log as a session."""
    session, left_out = import_log(source, output)
    for sentence in left_out:
        warn(with_code(sentence, "importer_left_out"))
    report = f"`lve report {session.path} -o report.html`"
    click.echo(f"session: {session.path} ({report}, `lve compare`)")
    return ExitCode.as_expected


def _set_up(name: str) -> int:
    """Install the environment of a tool."""
    if name not in TOOLS:
        hint = did_you_mean(name, TOOLS) or f"there are {', '.join(TOOLS)}"
        raise UsageError(f"lve runs no tool {name!r}: {hint}", code="unknown_name")
    tool = TOOLS[name]
    is_new = set_up(tool)
    click.echo(f"{name} {'is installed' if is_new else 'was installed before'}: {tool.folder}")
    return ExitCode.as_expected
