"""What keys and tokens look like, by their makers' documentation.

`secret_shapes.tsv` has a rule a line: the secret's name as reasons say it (`a GitHub token`); words
in lower case, of which one is in every such secret (a text without them isn't searched); and a
pattern. gitleaks' and detect-secrets' tables were guides to which secrets there are.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from lve.named_tuples import NamedTuple

SHAPES = Path(__file__).with_name("secret_shapes.tsv")


class SecretRule(NamedTuple):
    """The shape of one kind of secret."""

    name: str
    keywords: tuple[str, ...]
    pattern: re.Pattern[str]


@cache
def secret_rules() -> tuple[SecretRule, ...]:
    """Return the shapes of the secrets that show by themselves what they are."""
    rows = (line.split("\t") for line in SHAPES.read_text(encoding="utf-8").splitlines())
    return tuple(
        SecretRule(name, tuple(keywords.split()), re.compile(pattern))
        for name, keywords, pattern in rows
    )
