"""What `lve doctor` finds."""

from __future__ import annotations

import json
from typing import Any

from support.command_line import call


def findings(*args: str) -> tuple[int, dict[tuple[str, str], dict[str, Any]]]:
    """Return the exit code, and the findings by area and name."""
    code, out, _ = call("doctor", *args, "--json")
    found = json.loads(out)
    assert found["is_well"] is (code == 0)
    return code, {(one["area"], one["what"]): one for one in found["findings"]}
