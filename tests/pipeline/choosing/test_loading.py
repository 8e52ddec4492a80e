"""Which workspace's settings hold, and what they may do to somebody who stands elsewhere."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import workspace, write_test
from support.judges import no
from support.server import model_server

from lve.pipeline.choosing.loading import choose_workspace
from lve.spec.load import load_spec

CODE = """
from pathlib import Path

Path(__file__).with_name("ran").touch()

class Mine:
    def check(self, context): ...
"""


@pytest.fixture(params=["no workspace", "a workspace", "the folder above"])
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A workspace that trusts its own checker, seen from elsewhere."""
    here = tmp_path if request.param == "the folder above" else tmp_path / "here"
    here.mkdir(exist_ok=True)
    if request.param == "a workspace":
        workspace(here)
    monkeypatch.chdir(here)
    evil = tmp_path / "evil"
    folder = write_test(evil / "t", checker_args={"checker_name": "Mine"})
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(CODE)
    digest = hashlib.sha256(CODE.encode()).hexdigest()
    workspace(
        evil,
        f"trust: [{{path: t/checker/checker.py, sha256: {digest}, write: [t/checker]}}]\n"
        "allow_downloads: true\ncache: postgresql://evil.example/x\n",
    )
    return Path("evil" if request.param == "the folder above" else "../evil")


def test_another_workspace_does_not_trust_its_own_code(evil: Path) -> None:
    result = lve("run", str(evil / "t"), code=5)
    assert "--trust" in result.output
    assert not (evil / "t" / "checker" / "ran").exists()


def test_one_stands_in_a_workspace_that_does(evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(evil)
    lve("run", "t", code=3)
    assert Path("t/checker/ran").exists()


def test_another_workspace_does_not_allow_downloads(evil: Path) -> None:
    settings = choose_workspace([evil / "t"]).settings
    assert (settings.trust, settings.allow_downloads, settings.is_own) == ((), False, False)
    write_test(evil / "t", dataset={"hub": "some/thing"}, infer_cfg=None)
    result = lve("check", str(evil / "t"), code=2)
    assert "would have to be downloaded" in result.output
    assert "which applies when you run lve in" in result.output


def test_another_workspace_does_not_get_answers_into_its_store(
    evil: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choose_workspace([evil / "t"]).settings.cache is None
    monkeypatch.chdir(evil)
    here = choose_workspace([Path("t")]).settings
    assert here.cache == "postgresql://evil.example/x"


def test_another_workspace_does_not_make_its_judges_advisory(
    evil: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server("Hello!") as tested, model_server(no()) as judge:
        servers = {"m": tested, "j": judge}
        models = {name: {"base_url": s.url, "model": "x"} for name, s in servers.items()}
        calibration = {"required": True, "floor": {"kappa": 1}}
        workspace(evil, json.dumps({"models": models, "calibration": calibration}))
        write_test(evil / "t", model=None, checker_args=None, check={"judge": "It is kind."})
        command = ("run", evil / "t", "--model", "m", "--role", "judge=j")
        result = lve(*command, code=1)
        assert "advisory" not in result.output, result.output
        monkeypatch.chdir(evil)
        lve(*command[:1], "t", *command[2:])


def test_a_clone_seen_from_outside_names_no_variable_of_the_user(
    evil: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_OWN_NAME", "only-for-my-server")
    with model_server() as server:
        model = f"{{base_url: '{server.url}', api_key_env: MY_OWN_NAME, model: x}}"
        workspace(evil, f"models: {{m/x: {model}}}\nmodel: m/x")
        write_test(evil / "t", model=None)
        result = lve("run", str(evil / "t"), "--no-cache", code=2)
        assert "lve.yaml would send the key in MY_OWN_NAME to" in str(result.exception)
        assert server.requests == []


def test_another_workspace_collects_no_keys(evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-only-for-tests")
    with model_server() as server:
        workspace(
            evil,
            f"models: {{m/x: {{base_url: '{server.url}', api_key_env: OPENAI_API_KEY, model: x}}}}",
        )
        write_test(evil / "t")
        result = lve("run", str(evil / "t"), "--model", "m/x", "--no-cache", code=2)
        assert "lve.yaml would send the key in OPENAI_API_KEY to" in str(result.exception)
        assert server.requests == []
        lve(
            "run", str(evil / "t"), "--model", "m/x", "--no-cache", "--base-url", server.url, code=1
        )
        assert len(server.requests) == 1
        monkeypatch.chdir(evil)
        result = lve("run", "t", "--model", "m/x", "--no-cache", code=2)
        assert "OPENAI_API_KEY is not sent to" in str(result.exception)
        assert len(server.requests) == 1


def test_dots_lead_out_of_a_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path / "here"))
    write_test(workspace(tmp_path / "there") / "t")
    assert choose_workspace(["../there/t"]).root == tmp_path / "there"
    assert load_spec(Path("../there/t")).path == "t"


@pytest.mark.parametrize("verb", ["check", "list", "show", "render", "run"])
def test_a_test_brings_no_settings_of_its_own(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path, "caps: {repeats: 5}"))
    folder = write_test(tmp_path / "contributed", repeats=50)
    workspace(folder, "caps: {repeats: 1000}")
    result = lve(verb, "contributed", code=2)
    assert "50 is more than the 5 allowed" in result.output
