"""What a test document says of attacks and of honest rows beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.named_tuples import NamedTuple
from lve.spec.spec import Spec

BENIGN = "benign"
"""The variant of a test that has the honest rows."""
COLUMN = "column"
BENIGN_KEYS = {"rows", COLUMN, "check", "expect"}
MARK = "~"
"""Between the variant of a prompt and the attack on it: `formal~base64`."""


class Attacks(NamedTuple):
    """How a test is attacked, and the honest rows beside it."""

    names: tuple[str, ...] = ()
    """The attacks, as in the document."""
    parameter: str | None = None
    """The parameter whose value they change; None: the user's text."""
    turns: int | None = None
    """The most messages of an attack of several, after the first one."""
    benign: Any = None
    """Rows, or an object with `rows`."""
    own: tuple[str, ...] = ()
    """Of a variant: the attacks of the document, whatever the command line names instead."""


def attacks_of(spec: Spec) -> Attacks:
    """Return what a test says of attacks."""
    attacks: Any = spec.attacks.get("attacks") or ()
    is_object = isinstance(attacks, Mapping)
    names = attacks["names"] if is_object else attacks
    parameter = attacks.get("parameter") if is_object else None
    turns = attacks.get("turns") if is_object else None
    listed = (names,) if isinstance(names, str) else tuple(names)
    own = tuple(attacks.get("own", ())) if is_object else ()
    return Attacks(listed, parameter, turns, spec.attacks.get(BENIGN), own)


def benign_rows(benign: Any) -> Any:
    """Return the rows of the key `benign`: a `dataset`."""
    is_ours = isinstance(benign, Mapping) and "rows" in benign and set(benign) <= BENIGN_KEYS
    return benign["rows"] if is_ours else benign
