"""Which lines of a test's recorded instances are for one of its variants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lve.extensions.attacks.by_name import NONE, attack_names
from lve.extensions.attacks.document_keys import BENIGN, MARK, attacks_of
from lve.spec.spec import Spec

Use = Literal["answer", "row", "nothing", "unknown"]


def use_of_line(spec: Spec, value: Mapping[str, Any]) -> Use:
    """Return what a valid line of another variant is for a test or a variant of it: an `answer`,
    or a `row` without one; `nothing`; or of an `unknown` variant.

    A line without a variant is a row for attacks, too, but its answer isn't one to them. If the
    test has a data set, its rows are there. Benign rows have nothing to do with it.
    """
    variant = value.get("variant")
    if variant is None:
        if spec.attack == BENIGN:
            return "nothing"
        if spec.attack in (None, NONE):
            return "answer"
        return "nothing" if "response" in value and spec.dataset is not None else "row"
    attacks = attacks_of(spec)
    names = (*spec.variants, *attack_names((*attacks.names, *attacks.own)), BENIGN)
    if variant.rpartition(MARK)[2] not in names:
        return "unknown"
    return "nothing"
