"""What new workspaces are made of (`workspace/`): settings, files of pytest, CI and editors, and
the example applications of `lve init --target`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from lve.documents.yaml_text import parse_yaml
from lve.named_tuples import NamedTuple


class TargetExample(NamedTuple):
    """An example of one kind of application."""

    model: str
    """The application's name in the settings."""
    settings: str
    """Its entry of `models`."""
    file: str
    source: str
    starts_with: str = ""
    """The command that starts it; empty if lve does."""
    trust: bool = True
    """Whether it runs only with `--trust`."""

    @property
    def steps(self) -> Mapping[str, str]:
        """Command -> what it does."""
        command = f"lve run --model {self.model}" + (" --trust" if self.trust else "")
        start = {f"{self.starts_with} &": "starts the example"} if self.starts_with else {}
        return {**start, command: "asks your application"}


def template(name: str) -> str:
    """Return the text of a file of `workspace/`: what new workspaces are made of."""
    return files(__package__).joinpath("workspace", name).read_text(encoding="utf-8")


@cache
def target_examples() -> Mapping[str, TargetExample]:
    """Return provider -> its example."""
    examples: Any = parse_yaml(template("targets.yaml"))
    return {provider: TargetExample(**fields) for provider, fields in examples.items()}
