"""Makes a test's judge from the names and arguments of its checkers, and a checksum of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from lve.checkers.binding.bind import bind_all, bind_named
from lve.checkers.binding.bind_on import late_placeholders, selection_of, without_on
from lve.checkers.binding.bound import (
    BoundChecker,
    CheckerArguments,
    filled,
    template_names,
    with_placeholders,
)
from lve.checkers.binding.find_kind import find_kind
from lve.checkers.contract import CheckContext
from lve.checkers.custom.find import CustomChecker, checker_files, find_custom, untrusted
from lve.checkers.judge import Judge
from lve.checkers.usable_names import REFERENCE, Needs, find_arg_names, names_in
from lve.data.instances import iter_instances
from lve.documents.json_lines import canonical_json
from lve.errors import CheckerError, LveError, MissingExtraError, PluginError, SpecError
from lve.extension_table import extension_part
from lve.limits.effort import Effort
from lve.limits.problems import first_problems
from lve.prompts.plan import Plan, answer_format_of
from lve.settings.settings import Settings
from lve.spec.check_names import CODE, ON
from lve.spec.spec import CheckerConfig, Instance, Spec

if TYPE_CHECKING:
    from lve.checkers.custom.checker import CheckerProcess
    from lve.settings.trusted_file import CodeRights, TrustedFile


def resolve(
    spec: Spec,
    *,
    trusted: bool = False,
    trust: Sequence[TrustedFile] = (),
    sandbox_required: bool = False,
    advisory: Collection[int] = (),
    plan: Plan | None = None,
) -> Judge:
    """Return the judge of a test.

    Args:
        spec: the test.
        trusted: whether all custom checkers may run.
        trust: files that may run while they have the content that the settings list.
        sandbox_required: whether custom checkers may only run in a complete sandbox.
        advisory: as for `Judge`.
        plan: the test's plan, if it has been built. None: the format of its answers is read here.

    Raises:
        SpecError: a checker is unknown or has invalid arguments; contains all problems.
        SlowTestError: checking their arguments takes too long.
        TrustError: a custom checker, or a check that runs programs, is not trusted.
        MissingExtraError: a checker's package or model is not installed.
    """
    bind = partial(_bind, spec, trusted=trusted, trust=trust, sandbox_required=sandbox_required)
    with Effort():
        bound, problems = bind_all(spec, bind)
    if problems:
        raise SpecError(first_problems(problems))
    for checker in bound:
        checker.prepare()
    answer = answer_format_of(spec) if plan is None else plan.answer
    return Judge(bound, pass_when=spec.pass_when, answer=answer, advisory=advisory)


def resolve_with(
    spec: Spec,
    settings: Settings,
    *,
    trusted: bool,
    advisory: Collection[int] = (),
    plan: Plan | None = None,
) -> Judge:
    """Return the judge of a test, with the rights that the settings give. The other arguments and
    the errors are those of `resolve`."""
    return resolve(
        spec,
        trusted=trusted,
        trust=settings.trust,
        sandbox_required=settings.sandbox == "required",
        advisory=advisory,
        plan=plan,
    )


def starts_slowly(spec: Spec) -> bool:
    """Return whether judging a test first starts a process or loads a model."""
    if any(_needs_model(config, spec) for config in spec.checkers):
        return True
    return bool(spec.checkers) and bool(checker_files(spec))


def _needs_model(config: CheckerConfig, spec: Spec) -> bool:
    try:
        kind = find_kind(config.name, spec)
    except PluginError:  # reported when the checkers are made
        return False
    return kind is not None and kind.needs_model


def _bind(
    spec: Spec,
    config: CheckerConfig,
    *,
    trusted: bool,
    trust: Sequence[TrustedFile],
    sandbox_required: bool,
) -> BoundChecker:
    custom = find_custom(spec, config.name)
    if custom is None:
        name = None if trusted else _code_in(config)
        if name and (file := extension_part("untrusted file of checks")(spec, trust)):
            raise untrusted(spec, f"check {name!r}, with its data and files,", file)
        return bind_named(spec, config)
    from lve.settings.trusted_file import rights_of  # late: few tests bring a checker

    entry = custom.trusted_as(spec.root, trust)
    if not trusted and entry is None:
        raise untrusted(spec, f"checker '{custom.name}'", custom.file)
    folder = custom.file.parents[1]  # of the test, or of the shared checkers
    rights = rights_of(entry, folder, spec.root, sandbox_required=sandbox_required)
    return _bind_custom(spec, config, custom, rights)


def _code_in(config: CheckerConfig) -> str | None:
    """Return the check that runs programs, also inside others; None if there is none."""
    text = canonical_json([config.name, config.args])
    return next((name for name in CODE if f'"{name}"' in text), None)


def _bind_custom(
    spec: Spec, config: CheckerConfig, custom: CustomChecker, rights: CodeRights
) -> BoundChecker:
    from lve.checkers.custom.checker import ChildChecker, checker_process

    args, arg_names = without_on(config.args, spec), find_arg_names(spec)
    templates = template_names(args, arg_names)
    process = checker_process(custom, args, limit_s=spec.timeout_s, rights=rights)
    open_texts = with_placeholders(args, templates)
    names = names_in(args, open_texts)
    late = late_placeholders(names, spec, arg_names)
    values = None if open_texts else filled(args, templates)
    process.start(values)
    if values is None:
        _try_first(spec, args, templates, process)
    return BoundChecker(
        name=config.name,
        make=lambda filled_args: ChildChecker(process, filled_args),
        arguments=CheckerArguments(args, templates, late),
        constant=None if values is None else ChildChecker(process, values),
        needs=Needs(config.name, names - (late - {REFERENCE})),
        stop=process.stop,
        selection=selection_of(None, config.args.get(ON), late),
    )


def _try_first(
    spec: Spec, args: Mapping[str, object], templates: frozenset[str], process: CheckerProcess
) -> None:
    """Make the checker with the first instance's args, to find a missing package before the run.
    Other errors are reported later, with the instance.

    Raises:
        MissingExtraError: the checker needs a package that is not installed.
    """
    first = next((row for row in iter_instances(spec) if isinstance(row, Instance)), None)
    if first is None:
        return
    context = CheckContext((), first.parameters, args=first.args)
    try:
        process.start(filled(args, templates, context))
    except MissingExtraError:
        raise
    except LveError:
        pass


def checkers_sum(spec: Spec) -> str:
    """Return the SHA-256 sum of a test's checkers: names, arguments, and custom code.

    A redacted answer can't be judged again. It keeps its verdict as long as the sum is the same.
    """
    checkers = [[config.name, config.args] for config in spec.checkers]
    document = canonical_json([checkers, spec.pass_when, spec.output_schema])
    from hashlib import sha256  # late: it loads OpenSSL

    total = sha256(document.encode("utf-8", "surrogatepass"))
    try:
        if spec.checkers and checker_files(spec):
            for config in spec.checkers:
                custom = find_custom(spec, config.name)
                total.update(b"built-in" if custom is None else custom.source)
    except CheckerError:
        total.update(b"unreadable")
    return total.hexdigest()
