"""click's runner for tests before version 8.2, which mixed stderr into stdout by default."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

IS_OLD = not hasattr(click.exceptions, "NoArgsIsHelpError")
"""Whether it is click 8.1."""
new_click = pytest.mark.skipif(IS_OLD, reason="click 8.1 words it otherwise, or its runner does")


def read_both_streams() -> None:
    """Have this process's runners keep the streams apart, as later versions do. `output` has both,
    but not in the order in which they were written."""
    runner: Any = CliRunner
    runner.__init__ = partialmethod(runner.__init__, mix_stderr=False)
    result: Any = Result
    result.output = property(lambda self: self.stdout + self.stderr)
