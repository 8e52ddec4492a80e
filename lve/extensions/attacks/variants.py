"""The variants of a test that its attacks and its benign twins are: tests of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lve.documents.position_types import JsonPath
from lve.documents.read import DocumentPosition
from lve.errors import Problem, SpecError, UsageError
from lve.escape import excerpt
from lve.extensions.attacks.attackers.conversations import attacker
from lve.extensions.attacks.by_name import ATTACKS, IMAGE, NONE, attack_names, parse_names
from lve.extensions.attacks.document_keys import (
    BENIGN,
    BENIGN_KEYS,
    COLUMN,
    MARK,
    attacks_of,
    benign_rows,
)
from lve.file_names import DOCUMENT_NAMES
from lve.options.run_options import RunOptions
from lve.sessions.instance_result import REPLAY
from lve.settings.settings import Settings
from lve.spec.check_names import ATTACKER, named_check
from lve.spec.expectation import expectation_of
from lve.spec.spec import CheckerConfig, Expectation, Spec, Tag
from lve.workspace import display_path


def twins(spec: Spec, column: str, parameter: str | None) -> Any:
    """Return the data set of the honest rows.

    A twin is a text, which takes the place of the parameter's value, or an object with values that
    differ from those of its row; several are a list. Rows without one have none. In a file, each
    row has a text.

    Args:
        spec: a test with a data set.
        column: its column with the twins.
        parameter: that texts are of; None: the test's only one.

    Raises:
        SpecError: it isn't clear what the twins are of, or no row has one.
    """
    names = spec.parameters if parameter is None else (parameter,)
    only = names[0] if len(names) == 1 else None
    dataset: Any = spec.dataset
    if isinstance(dataset, Mapping) and isinstance(dataset.get("rows"), list):
        dataset = dataset["rows"]
    if isinstance(dataset, list):
        rows = [twin for row in dataset for twin in _of_row(spec, row, column, only)]
        if not rows:
            raise _error(spec, f"no row has the column `{excerpt(column)}`")
        return rows
    source: Any = {"path": dataset} if isinstance(dataset, str) else dataset
    if not isinstance(source, Mapping) or not ({"path", "hub"} & source.keys()):
        raise _error(spec, "needs a data set that is written out, or one file")
    if only is None:
        raise _error(spec, "a column of a file has texts of one parameter, and the test has more")
    renamed = source.get("columns") or {}
    columns = {**renamed, only: column}
    return {**source, "columns": columns}


def _of_row(
    spec: Spec, row: object, column: str, only: str | None
) -> Iterator[Mapping[str, object]]:
    if not isinstance(row, Mapping):
        return
    written, own = row.get(column), {name: row[name] for name in row if name != column}
    several: Sequence[object] = written if isinstance(written, list) else [written]
    for twin in several:
        if isinstance(twin, Mapping):
            yield {**own, **twin}
        elif twin is not None and only is not None:
            yield {**own, only: twin}
        elif twin is not None:
            names = ", ".join(f"`{name}`" for name in spec.parameters)
            message = f"a twin that is a text could be of {names}"
            raise _error(spec, message, hint="write an object with the values that differ")


def _error(spec: Spec, message: str, hint: str | None = None) -> SpecError:
    where = display_path(spec.file)
    return SpecError([Problem(message, where, path="$.benign.column", hint=hint, code="attacks")])


TAG = "attack"
"""The tag, and the column of reports, that says what a variant is."""
FORBIDDEN = "the settings forbid attacks (`attacks: false`)"
SPOKEN_FOR = "this attack plays the user, and the test has one, or names a parameter to attack"
UNNAMED = "attacks ask only a model that you name: --model NAME, or `model:` in your lve.yaml"


def variants_of(tests: Sequence[Spec], words: str | None) -> tuple[Spec, ...]:
    """Return a test, or the variants of its prompt, and their attacks; its benign twins last.

    Args:
        tests: the test, or a test per variant of its prompt.
        words: the names of what attacks it, instead of what its document says.

    Raises:
        UsageError: there is no such attack.
        SpecError: another test has the path of a variant.
    """
    names = parse_names(words) if words else attack_names(attacks_of(tests[0]).names)
    if not names and attacks_of(tests[0]).benign is None:
        return tuple(tests)
    return tuple(_variants(tests, names))


def _variants(tests: Sequence[Spec], names: Sequence[str]) -> Iterator[Spec]:
    for test in tests:
        plain = _of(test, NONE, names, len(names) + 1)
        yield plain
        for name in names:
            yield _with_attacker(_named(replace(plain, models=(), warnings=()), name, name))
    if attacks_of(tests[0]).benign is not None:
        yield from (_benign(test, names) for test in tests)


def _with_attacker(test: Spec) -> Spec:
    """Return an attack; one that depends on answers, or on another model, has an attacker."""
    name = test.attack or ""
    attack, own = ATTACKS.get(name), attacks_of(test)
    if name.split("+")[-1] == IMAGE and own.parameter is not None:
        return replace(test, skip=test.skip or SPOKEN_FOR)
    if attack is None or not attack.asks:
        return test
    if test.simulated_user is not None or own.parameter is not None:
        return replace(test, skip=test.skip or SPOKEN_FOR)
    user = attacker(attack.instructions or "", "", own.turns or attack.turns)
    roles = test.roles if name == "best_of_n" else tuple(dict.fromkeys((*test.roles, ATTACKER)))
    return replace(test, simulated_user=user, roles=roles)


def _of(test: Spec, value: str, names: Sequence[str], count: int) -> Spec:
    """Return a test that reports know by a value of the column `attack`.

    Args:
        test: the test.
        value: what it is.
        names: all attacks on it.
        count: how many claims its expectation is: each gets its share of the confidence.
    """
    return replace(
        test,
        attack=value,
        attacks={**test.attacks, "attacks": _keys(test, names)},
        tags=(*(tag for tag in test.tags if tag.name != TAG), Tag(TAG, value)),
        by=tuple(dict.fromkeys((*test.by, TAG))),
        expect=share_of_confidence(test.expect, count),
        for_models={
            model: own
            if own.expect is None
            else own._replace(expect=share_of_confidence(own.expect, count))
            for model, own in test.for_models.items()
        },
    )


def _keys(test: Spec, names: Sequence[str]) -> dict[str, object]:
    own = attacks_of(test)
    keys = {"names": list(names), "parameter": own.parameter, "turns": own.turns}
    return {**keys, "own": own.own or own.names}


def share_of_confidence(expect: Expectation, count: int) -> Expectation:
    """Return an expectation so strict that all of `count` hold together with its confidence."""
    if expect.kind != "rate" or expect.counts_results:
        return expect
    return expect._replace(confidence=1 - (1 - expect.confidence) / count)


def _named(test: Spec, name: str, value: str) -> Spec:
    variant = name if test.variant is None else f"{test.variant}{MARK}{name}"
    path = f"{test.folder_path}@{variant}"
    folder = test.folder.parent / f"{test.folder.name}@{variant}"
    if any(os.path.isfile(folder / file) for file in DOCUMENT_NAMES):  # noqa: PTH113 (False for a locked folder)
        message = f"the test {folder.name} beside this one has the path of its attack"
        where = display_path(test.file)
        raise SpecError([Problem(message, where, hint="rename it", code="duplicate_name")])
    return replace(
        test,
        path=path,
        variant=variant,
        variants=tuple(dict.fromkeys((*test.variants, variant))),
        attack=name,
        tags=tuple(Tag(TAG, value) if tag.name == TAG else tag for tag in test.tags),
    )


def _benign(test: Spec, names: Sequence[str]) -> Spec:
    """Return the test with its honest rows in place of the harmful ones."""
    written = attacks_of(test).benign
    own = written if isinstance(written, Mapping) and set(written) <= BENIGN_KEYS else {}
    column, parameter = own.get(COLUMN), attacks_of(test).parameter
    path: JsonPath = (BENIGN, "check") if "check" in own else (BENIGN,)
    check, args = named_check(own.get("check", {"refusal": False}))
    expect = {"expect": own["expect"]} if "expect" in own else {}
    twin = _named(_of(test, BENIGN, names, 1), BENIGN, BENIGN)
    return replace(
        twin,
        dataset=benign_rows(written) if column is None else twins(test, column, parameter),
        checkers=(CheckerConfig(check, args, DocumentPosition(test.file, path), path),),
        pass_when="all",
        examples=(),
        expect=expectation_of({**expect, "default_model_args": test.model_args}),
        expect_position=DocumentPosition(test.file, (BENIGN, "expect")) if expect else None,
        for_models={model: each._replace(expect=None) for model, each in test.for_models.items()},
        warnings=(),
    )


def allowed(tests: Sequence[Spec], options: RunOptions, settings: Settings) -> tuple[Spec, ...]:
    """Return tests, of which those that attack are skipped if the settings forbid it, or if the
    user names no model: the model of a contributed test isn't enough.

    Raises:
        UsageError: the options ask for attacks that the settings forbid.
    """
    if set(options.models) == {REPLAY}:  # nobody is asked
        return tuple(tests)
    if not settings.attacks:
        if options.attacks:
            raise UsageError(FORBIDDEN, code="attacks")
        return tuple(_skipped(test, FORBIDDEN) for test in tests)
    if options.tested or (settings.model and settings.is_own):
        return tuple(tests)
    return tuple(_skipped(test, UNNAMED) for test in tests)


def _skipped(test: Spec, reason: str) -> Spec:
    return replace(test, skip=test.skip or reason) if test.attack not in (NONE, BENIGN) else test
