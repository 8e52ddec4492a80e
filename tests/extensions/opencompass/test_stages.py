"""The stages that errors of templates name: each is one of those that there are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import lve.extensions.opencompass
from lve.errors import TemplateStage

FOLDER = Path(lve.extensions.opencompass.__path__[0])


def written_stages() -> Iterator[str]:
    """Yield each stage that a call names, whatever it calls."""
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.keyword(arg="stage", value=ast.Constant(value=stage)):
                    yield str(stage)


def test_each_stage_is_one_that_there_is() -> None:
    written = [*written_stages()]
    assert len(written) > 80
    assert {*written} <= {*get_args(TemplateStage)}
