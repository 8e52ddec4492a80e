"""`lve run --show-config`: prints the effective options, settings and model args of a run, and
where each value comes from. Nothing is sent."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from lve.cli.find_tests import print_no_tests
from lve.cli.printing import View, print_problems, print_view, warn
from lve.cli.run.command_options import RunRequest
from lve.errors import with_code
from lve.escape import clip, columns
from lve.exit_code import ExitCode
from lve.file_names import SETTINGS_FILE
from lve.named_tuples import NamedTuple
from lve.options.run_options import DEFAULTS, OPTIONS, RunOptions, spelled, variables_of, word_of
from lve.pipeline.choosing.loading import (
    choose_workspace,
    load_tests,
    models_named,
    unused_settings,
)
from lve.pipeline.choosing.repeats import repeats_of
from lve.pipeline.model_args import base_args
from lve.settings.settings import Settings
from lve.spec.check_names import CHECK_KEYS
from lve.spec.settings_file import settings_document
from lve.spec.spec import ForModel, Spec
from lve.workspace import Workspace, display_path

DEFAULT = "default"
GAP = "  "


class Value(NamedTuple):
    """An effective value and its origin."""

    name: str
    value: Any
    origin: str
    """`command line`, the name of an environment variable, a file, or `default`."""

    def to_json(self) -> dict[str, object]:
        """Return it as JSON."""
        return self._asdict()

    @property
    def text(self) -> str:
        """The value as text for people."""
        return value_text(self.value)


def show_config(ctx: click.Context, request: RunRequest) -> int:
    """Print options, settings, and the models and model args of each test, with their origins;
    return the exit code.

    Raises:
        LveError: a mistake of the user.
    """
    paths = request.paths or (".",)
    workspace = choose_workspace(paths)
    if unused := unused_settings(paths, workspace):
        warn(with_code(unused, "settings_unused"))
    options = RunOptions(**request.fields)
    loaded = load_tests(paths, workspace, warn=warn, options=options)
    origins = origins_of(ctx, request)
    parts: dict[str, list[Value]] = {
        "options": [*option_values(options, origins)],
        "settings": [*written_settings(workspace)],
    }
    for spec in loaded.specs:
        parts[spec.path] = [*test_values(spec, options, workspace, origins)]
    view = View(lambda: _document(parts), _lines(parts))
    print_view(view, as_json=request.format == "json")
    print_problems(problem for test in loaded.invalid for problem in test.problems)
    if not (loaded.specs or loaded.invalid):
        print_no_tests(paths, options)
    return ExitCode.invalid if loaded.invalid else ExitCode.as_expected


def origins_of(ctx: click.Context, request: RunRequest) -> dict[str, str]:
    """Return, for each given field of `RunOptions`, where it was given."""
    return {name: _source(ctx, name) for name in request.fields}


def _source(ctx: click.Context, name: str) -> str:
    if ctx.get_parameter_source(word_of(name)) is not ParameterSource.ENVIRONMENT:
        return "command line"
    return next(
        (variable for variable in variables_of(name) if os.environ.get(variable)), "environment"
    )


def option_values(options: RunOptions, origins: Mapping[str, str]) -> Iterator[Value]:
    for name, option in OPTIONS.items():
        if "run" not in option.interfaces:
            continue
        value = getattr(options, name)
        text = value != getattr(DEFAULTS, name) if option.values.shape == "flag" else value
        if value is None and option.default_text:
            text = option.default_text
        yield Value(spelled(name), text, origins.get(name, DEFAULT))


def written_settings(workspace: Workspace) -> Iterator[Value]:
    """Yield the values of the settings file."""
    document = settings_document(workspace.root)
    if document is None:
        return
    origin = str(display_path(document.path))
    if not workspace.settings.is_own:
        origin += " (another workspace's: grants nothing)"
    yield from (Value(name, value, origin) for name, value in _flat(document.data, ""))


def _flat(value: object, name: str) -> Iterator[tuple[str, object]]:
    """Yield the dotted name and the value of everything in a settings file."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and any(isinstance(inner, Mapping) for inner in value):
        for index, inner in enumerate(value):
            yield from _flat(inner, f"{name}[{index}]")
    elif name:
        yield name, value


def test_values(
    spec: Spec, options: RunOptions, workspace: Workspace, origins: Mapping[str, str]
) -> Iterator[Value]:
    """Yield the models of a test, the model args of each, and the repeats."""
    settings, own, theirs = workspace.settings, spec.file.name, _settings_name(workspace)
    listed = _source_file("models" if "models" in spec.suites else "model", spec)
    for model in models_named(spec, options, settings):
        typed = origins.get("models") or origins.get("roles", "")
        written, of_model = listed, spec.for_models.get(model, ForModel())
        yield Value("model", model, typed if options.tested else written if spec.models else theirs)
        entry = settings.models.get(model)
        sources = (
            (options.model_args, origins.get("model_args", "")),
            (of_model.args, f"{listed}, for this model"),
            (spec.model_args, own),
            (entry.args if entry else {}, theirs),
        )
        for name, value in {**base_args(settings, model, spec), **options.model_args}.items():
            origin = next((place for args, place in sources if name in args), DEFAULT)
            origin = _source_file(f"default_model_args.{name}", spec) if origin == own else origin
            yield Value(f"  {name}", value, origin)
        yield from _model_values(spec, model, options, settings, origins, listed)
    if settings.caps.max_tokens is not None:
        yield Value("max_tokens, at most", settings.caps.max_tokens, theirs)
    repeats = repeats_of(spec, options, settings)
    written = DEFAULT if repeats == 1 else _source_file("repeats", spec)
    yield Value("repeats", repeats, origins.get("repeats") or written)
    yield from _checks_and_tags(spec)


def _checks_and_tags(spec: Spec) -> Iterator[Value]:
    """Yield the other values that may come from a `suite.yaml`."""
    if names := [*dict.fromkeys(checker.name for checker in spec.checkers)]:
        key = next((key for key in CHECK_KEYS if key in spec.suites), "checks")
        yield Value("checks", names, _source_file(key, spec))
    for tag in spec.tags:
        origin = _source_file(f"tags.{tag.name}", spec)
        yield Value("tag", f"{tag.name}={tag.value}", origin)


def _model_values(
    spec: Spec,
    model: str,
    options: RunOptions,
    settings: Settings,
    origins: Mapping[str, str],
    listed: str,
) -> Iterator[Value]:
    """Yield the values, other than model args, that the test sets for this model alone."""
    of_model, place = spec.for_models.get(model, ForModel()), f"{listed}, for this model"
    if of_model.expect is not None:
        yield Value("  expect", of_model.expect.in_words, place)
    if of_model.repeats is not None:
        repeats = repeats_of(spec.for_model(model), options, settings)
        yield Value("  repeats", repeats, origins.get("repeats") or place)
    if of_model.timeout_s is not None:
        timeout = options.timeout_s or of_model.timeout_s
        yield Value("  timeout_s", timeout, origins.get("timeout_s") or place)


def _source_file(key: str, spec: Spec) -> str:
    """Return the file that a key of the document comes from: the test's own, or a `suite.yaml`."""
    suite = spec.suites.get(key)
    return spec.file.name if suite is None else str(display_path(suite))


def _settings_name(workspace: Workspace) -> str:
    document = settings_document(workspace.root)
    return SETTINGS_FILE if document is None else str(display_path(document.path))


def _document(parts: Mapping[str, Sequence[Value]]) -> object:
    tests = [
        {"path": path, "values": [setting.to_json() for setting in values]}
        for path, values in parts.items()
        if path not in ("options", "settings")
    ]
    rest = {
        name: [setting.to_json() for setting in parts[name]] for name in ("options", "settings")
    }
    return {**rest, "tests": tests}


def _lines(parts: Mapping[str, Sequence[Value]]) -> Iterator[str]:
    limit = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for title, values in parts.items():
        yield title
        width = max((columns(setting.name) for setting in values), default=0)
        for setting in values:
            name = setting.name + " " * (width - columns(setting.name))
            line = f"{GAP}{name}{GAP}{value_text(setting.value)}{GAP}({setting.origin})"
            yield line if limit is None else clip(line, limit)


def value_text(value: object) -> str:
    """Return a value as text for people: `-` for nothing, `yes`/`no`, lists with commas."""
    if value is None or value in ((), {}):
        return "-"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    if isinstance(value, Mapping):
        return " ".join(f"{name}={inner}" for name, inner in value.items())
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
