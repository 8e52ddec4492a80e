"""What `lve doctor` says of applications: a program of the settings starts only if trusted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from extensions.doctor.doctor import findings
from support.folders import workspace

SETTINGS = """\
model: app/{kind}
models:
  app/python: {{provider: python, options: {{function: "app.answers:answer"}}}}
  app/exec: {{provider: exec, options: {{command: [python3, ./command.py], sandbox: false}}}}
  app/shell: {{provider: exec, options: {{command: [echo, ok]}}}}
"""


@pytest.fixture
def app(root: Path) -> Path:
    """A workspace with applications, each of which notes that it was started."""
    (root / "app").mkdir()
    (root / "app/answers.py").write_text(
        "def answer(prompt):\n    open('started', 'a').write('p')\n    return 'ok'\n"
    )
    (root / "command.py").write_text("open('started', 'a').write('c')\nprint('ok')\n")
    return root


def use(root: Path, kind: str, trust: str = "") -> None:
    workspace(root, SETTINGS.format(kind=kind) + trust)


@pytest.mark.parametrize("kind", ["python", "exec"])
def test_a_program_that_is_not_trusted_is_bad_until_its_file_is_listed(
    app: Path, kind: str
) -> None:
    use(app, kind)
    code, found = findings("--ask")
    finding = found[f"app/{kind}", "model"]
    assert (code, finding["status"]) == (2, "bad")
    assert not (app / "started").exists()
    [line] = re.findall(r"`(trust: .*)`", finding["text"])
    use(app, kind, line + "\n")
    code, found = findings("--ask")
    assert (code, found[f"app/{kind}", "answers"]["status"]) == (0, "good")
    (app / "app/answers.py").write_text("def answer(prompt):\n    return 'changed'\n")
    (app / "command.py").write_text("print('changed')\n")
    assert findings("--ask")[0] == 2


def test_trust_checks_all_programs_of_the_settings(app: Path) -> None:
    use(app, "python")
    code, found = findings("--trust", "--ask")
    assert code == 0
    answered: list[Any] = [found[f"app/{kind}", "answers"] for kind in ("python", "exec", "shell")]
    assert [one["status"] for one in answered] == ["good"] * 3
    assert (app / "started").read_text() in ("pc", "cp")  # each is asked once: it has no features
    assert {what for area, what in found if area == "app/exec"} == {"answers", "price"}
    assert "{request: 0.02}" in found["app/exec", "price"]["hint"]


def test_offline_starts_nothing(app: Path) -> None:
    use(app, "exec")
    code, _ = findings("--trust", "--offline")
    assert code == 0
    assert not (app / "started").exists()


def test_a_program_without_a_file_is_told_what_to_do(app: Path) -> None:
    use(app, "shell")
    _, found = findings("--offline")
    assert "name a file of the workspace in it" in found["app/shell", "model"]["text"]
