"""What lve writes is in the short form: `lve check --modernize` finds nothing to change."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import call

from lve.extensions.authoring.patterns import pattern_names

NEW = ("new", "repository/c/t", "--description", "The model says goodbye.")
WAYS: dict[str, tuple[str, ...]] = {
    "new": (*NEW, "--prompt", "Bye, I am {name}.", "--check", "contains: '{name}'", "-p", "name=A"),
    "new with a system message": (*NEW, "--prompt", "Bye.", "--check", "refusal: true"),
    **{name: ("new", "repository/c/t", "--from", name) for name in pattern_names()},
    **{f"init --target {kind}": ("init", "--target", kind) for kind in ("exec", "http", "python")},
    "init": ("init",),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_written_can_not_be_shorter(way: str, root: Path) -> None:
    assert call(*WAYS[way])[0] == 0
    documents = [*root.rglob("test.yaml")]
    before = [file.read_bytes() for file in documents]
    code, out, _ = call("check", "repository", "--modernize")
    assert (code, out.split(" document")[0]) == (0, "0"), out
    assert [file.read_bytes() for file in documents] == before != []
