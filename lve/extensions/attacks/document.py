"""Checks what a test document says of attacks."""

from __future__ import annotations

from collections.abc import Iterator

from lve.documents.position_types import JsonPath
from lve.documents.read import Document
from lve.errors import Problem, UsageError
from lve.escape import excerpt
from lve.extensions.attacks.by_name import attack_names
from lve.extensions.attacks.document_keys import BENIGN, BENIGN_KEYS
from lve.extensions.attacks.variants import TAG
from lve.spec.spec import SELECTORS, SOURCE_KEYS
from lve.suggest import did_you_mean

KEY = "attacks"


def problems_of(document: Document) -> Iterator[Problem]:
    """Yield the problems of `attacks` and `benign`: names that there aren't, a parameter that the
    test hasn't, and a parameter called `attack`, which reports need for themselves."""
    attacks, path = document.data.get(KEY), (KEY,)
    parameters = document.data.get("prompt_parameters")
    parameters = parameters if isinstance(parameters, list) else []
    where: JsonPath = path
    if isinstance(attacks, dict):
        yield from _problems_of_parameter(document, attacks.get("parameter"), parameters)
        attacks, where = attacks.get("names"), (KEY, "names")
    names = [attacks] if isinstance(attacks, str) else attacks if isinstance(attacks, list) else []
    for index, name in enumerate(names):
        try:
            attack_names([name] if isinstance(name, str) else [])
        except UsageError as error:
            at = where if isinstance(attacks, str) else (*where, index)
            yield document.problem(str(error), at, code=error.code)
    benign = document.data.get(BENIGN)
    if isinstance(benign, dict) and not any(key in benign for key in (*BENIGN_KEYS, *SOURCE_KEYS)):
        for key in benign:
            if key not in SELECTORS and (hint := did_you_mean(str(key), sorted(BENIGN_KEYS))):
                message = f"`benign` has no key `{excerpt(str(key))}`"
                yield document.problem(message, (BENIGN, key), hint=hint, code="unknown_key")
    if TAG in parameters:
        message, at = f"a test with attacks has no parameter `{TAG}`", ("prompt_parameters",)
        yield document.problem(message, at, hint="rename it", code="attacks")


def _problems_of_parameter(
    document: Document, name: object, parameters: list[object]
) -> Iterator[Problem]:
    if isinstance(name, str) and parameters and name not in parameters:
        hint = did_you_mean(name, [each for each in parameters if isinstance(each, str)])
        message = f"`{excerpt(name)}` isn't one of the `prompt_parameters`"
        yield document.problem(message, (KEY, "parameter"), hint=hint, code="unknown_parameter")
