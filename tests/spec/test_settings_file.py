from __future__ import annotations

from pathlib import Path

import pytest

from lve.errors import SettingsError
from lve.settings.model_settings import ModelSettings, Price, WorkerShape
from lve.settings.programs import ToolServer
from lve.settings.settings import Caps, Settings
from lve.settings.trusted_file import TrustedFile
from lve.spec.settings_file import load_workspace, load_workspace_from

FULL = """
model: openai/gpt-4o-mini
models:
  meta/llama-2-7b-chat:
    provider: openai
    model: llama-2-7b
    base_url: http://localhost:8000/v1
    api_key_env: LOCAL_KEY
    args: {temperature: 0.5}
    max_connections: 8
    requests_per_minute: 60
    timeout_s: 30
    price: {input: 0.5, output: 1.5}
    kind: api
  stub: {provider: scripted, options: {answers: answers.json}}
  plain:
caps: {max_tokens: 1000, repeats: 50, rows: 10000}
trust:
  - {path: repository/x/checker/checker.py, sha256: "%s"}
allow_downloads: true
cache: postgresql://db.example.org/team
""" % ("0" * 64)


def settings_error(folder: Path, text: str, name: str = "lve.yaml") -> list[str]:
    (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_workspace(folder)
    return str(caught.value).replace(f"{folder}/", "").splitlines()


def test_everything_in_lve_yaml_is_understood(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").write_text(FULL)
    inner = tmp_path / "repository" / "x"
    inner.mkdir(parents=True)
    workspace = load_workspace(inner)
    assert workspace.root == tmp_path
    settings = workspace.settings
    assert settings.file == tmp_path / "lve.yaml"
    assert settings.model == "openai/gpt-4o-mini"
    assert settings.models["meta/llama-2-7b-chat"] == ModelSettings(
        provider="openai",
        model="llama-2-7b",
        base_url="http://localhost:8000/v1",
        api_key_env="LOCAL_KEY",
        args={"temperature": 0.5},
        max_connections=8,
        requests_per_minute=60,
        timeout_s=30,
        price=Price(0.5, 1.5),
        kind="api",
    )
    assert settings.models["stub"].options == {"answers": "answers.json"}
    assert settings.models["plain"] == ModelSettings()
    assert settings.caps == Caps(max_tokens=1000, repeats=50, rows=10000)
    assert settings.trust == (TrustedFile("repository/x/checker/checker.py", "0" * 64),)
    assert settings.allow_downloads
    assert settings.cache == "postgresql://db.example.org/team"


def test_a_table_in_pyproject_means_the_same(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.lve]\nmodel = "a/b"\n[tool.lve.models."a/b"]\nbase_url = "https://example.com"\n'
    )
    settings = load_workspace(tmp_path).settings
    assert settings.model == "a/b"
    assert settings.models["a/b"].base_url == "https://example.com"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "models:\ntrust:\ncaps:\n"])
def test_settings_may_be_empty(tmp_path: Path, text: str) -> None:
    (tmp_path / "lve.yaml").write_text(text)
    assert load_workspace(tmp_path).settings.models == {}


def test_no_settings_are_the_defaults(tmp_path: Path) -> None:
    (tmp_path / ".lverepo").touch()
    assert load_workspace(tmp_path).settings.file is None


def test_all_problems_are_told_with_their_places(tmp_path: Path) -> None:
    text = (
        "modle: x\nmodels:\n  a/b:\n    provider: opneai\n    base_url: localhost:8000\ncaps: 3\n"
    )
    assert settings_error(tmp_path, text) == [
        "lve.yaml:1:1: $.modle: unknown key `modle` (did you mean `model`?)",
        'lve.yaml:4:15: $.models["a/b"].provider: there is no provider `opneai` '
        "(did you mean `openai`?)",
        'lve.yaml:5:15: $.models["a/b"].base_url: "localhost:8000" isn\'t allowed here '
        "(an address starts with http:// or https://)",
        "lve.yaml:6:7: $.caps: must be an object, not a number",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "api_key: sk-not-a-real-one",
        "token: not-a-real-one",
        "options: {api_key: sk-not-a-real-one}",
        "args: {authorization: Bearer x}",
        "base_url: https://user:password@example.com/v1",
        "api_key_env: sk-not-a-real-one",
    ],
)
def test_a_key_never_stands_in_the_settings(tmp_path: Path, line: str) -> None:
    (problem,) = settings_error(tmp_path, f"models:\n  a/b:\n    {line}\n")
    assert problem.startswith("lve.yaml:3:")
    assert "api_key_env" in problem
    assert "environment variable" in problem or "must never be in a file" in problem


@pytest.mark.parametrize(
    "url",
    ["postgresql://me:s3cret@db/x", "postgresql://db/x?password=s3cret", "mysql://me:s3cret@db/x"],
)
def test_a_store_with_a_password_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    (problem,) = settings_error(tmp_path, f"cache: {url}\n")
    assert problem.startswith("lve.yaml:1:8: $.cache: ")
    assert "LVE_STORE" in problem
    assert "s3cret" not in problem


def test_broken_yaml_is_one_line(tmp_path: Path) -> None:
    (problem,) = settings_error(tmp_path, "models: [\n")
    assert problem.startswith("lve.yaml:2:1: not valid YAML")


def test_broken_toml_is_one_line(tmp_path: Path) -> None:
    (problem,) = settings_error(tmp_path, "[tool.lve]\nmodel = \n", "pyproject.toml")
    assert problem.startswith("pyproject.toml: not valid TOML")


def test_a_wrong_key_in_pyproject_is_named(tmp_path: Path) -> None:
    (problem,) = settings_error(tmp_path, '[tool.lve]\nmodle = "x"\n', "pyproject.toml")
    assert problem == "pyproject.toml: $.modle: unknown key `modle` (did you mean `model`?)"


@pytest.mark.parametrize("text", ["[tool]\nlve = 3\n", "tool.lve = [1]\n"])
def test_settings_in_pyproject_that_are_no_table_are_told(tmp_path: Path, text: str) -> None:
    (problem,) = settings_error(tmp_path, text, "pyproject.toml")
    assert problem.startswith("pyproject.toml: must be an object, not a ")


def test_two_homes_of_the_settings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").touch()
    (problem,) = settings_error(tmp_path, "[tool.lve]\n", "pyproject.toml")
    assert "keep one of them" in problem


def test_only_your_own_settings_start_tool_servers(tmp_path: Path) -> None:
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    for folder in (theirs, mine):
        folder.mkdir()
        (folder / "lve.yaml").write_text(
            "tool_servers:\n  x: {command: [python, server.py], env: [A_TOKEN], timeout_s: 2}\n"
            "  y: {url: 'https://example.com/mcp', key_env: B_KEY, tools: [f]}\n"
        )
    own = load_workspace_from(mine, mine).settings.tool_servers
    assert own == {
        "x": ToolServer(("python", "server.py"), ("A_TOKEN",), timeout_s=2),
        "y": ToolServer(url="https://example.com/mcp", key_env="B_KEY", tools=("f",)),
    }
    assert [server.variables for server in own.values()] == [("A_TOKEN",), ("B_KEY",)]
    assert load_workspace_from(mine, theirs).settings.tool_servers == {}


@pytest.mark.parametrize(
    "server",
    [
        "{}",
        "{command: []}",
        "{command: [a], url: 'http://x'}",
        "{command: [a], key_env: K}",
        "{url: 'http://x', env: [K]}",
        "{url: 'file:///x'}",
        "{command: [a], env: ['A B']}",
        "{command: [a], header: x}",
    ],
)
def test_a_tool_server_is_a_program_or_an_address(tmp_path: Path, server: str) -> None:
    (tmp_path / "lve.yaml").write_text(f"tool_servers: {{x: {server}}}\n")
    with pytest.raises(SettingsError, match="tool_servers"):
        load_workspace(tmp_path)


def test_only_your_own_settings_name_a_store_or_a_cluster(tmp_path: Path) -> None:
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    for folder in (theirs, mine):
        folder.mkdir()
        (folder / "lve.yaml").write_text(
            "cache: postgresql://db/team\nengine: ray\n"
            "ray: {address: '10.0.0.5:6379', worker: {num_cpus: 2}}\n"
            "models: {hf/x: {worker: {num_gpus: 1, num_cpus: 4, memory_gb: 20, replicas: 8}}}\n"
        )
    own = load_workspace_from(mine, mine).settings
    assert (own.cache, own.ray) == ("postgresql://db/team", "10.0.0.5:6379")
    assert own.worker == WorkerShape(num_cpus=2)
    assert own.models["hf/x"].worker == WorkerShape(4, 1, 20, 8)
    others = load_workspace_from(mine, theirs).settings
    assert (others.cache, others.ray) == (None, None)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("engine: ray", "local"),
        ("engine: local\nray: {address: auto}", None),
        ("ray: {address: auto}", None),
        ("engine: ray\nray:", "local"),
        ("engine: ray\nray: {address: auto}", "auto"),
    ],
)
def test_the_engine_says_whether_a_cluster_is_used(
    tmp_path: Path, text: str, address: str | None
) -> None:
    (tmp_path / "lve.yaml").write_text(text)
    assert load_workspace(tmp_path).settings.ray == address


def test_settings_may_end_in_yml_and_make_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "lve.yml").write_text("model: openai/m\n")
    (tmp_path / "a" / "b").mkdir(parents=True)
    workspace = load_workspace(tmp_path / "a" / "b")
    assert (workspace.root, workspace.settings.model) == (tmp_path, "openai/m")


@pytest.mark.parametrize("other", ["lve.yml", "pyproject.toml"])
def test_settings_in_two_files_are_an_error_that_names_both(tmp_path: Path, other: str) -> None:
    (tmp_path / "lve.yaml").write_text("model: openai/m\n")
    (tmp_path / other).write_text("[tool.lve]\n" if other.endswith("toml") else "model: x/y\n")
    with pytest.raises(SettingsError, match=rf"in .*lve\.yaml and .*{other}; keep one of them"):
        load_workspace(tmp_path)


KEYS: dict[str, tuple[str, set[str]]] = {
    "models": ("{a: {provider: dummy}}", {"models"}),
    "model": ("dummy/dummy", {"model"}),
    "roles": ("{judge: dummy/dummy}", {"roles"}),
    "caps": ("{repeats: 7}", {"caps"}),
    "files": ("[app]", {"caps"}),
    "sandbox": ("required", {"sandbox"}),
    "plugins": ("[other]", {"plugins"}),
    "allow_downloads": ("true", {"allow_downloads"}),
    "attacks": ("false", {"attacks"}),
    "cache": ("postgresql://db/lve", {"cache"}),
    "by": ("[topic]", {"by"}),
    "engine": ("ray", {"ray"}),
    "ray": ("{worker: {num_cpus: 2}}", {"worker"}),
    "calibration": ("{required: true}", {"calibration"}),
    "comparison": ("{alpha: 0.01}", {"comparison"}),
}


def fields_of(tmp_path: Path, text: str) -> dict[str, object]:
    (tmp_path / "lve.yaml").write_text(text)
    return load_workspace(tmp_path).settings._asdict()


@pytest.mark.parametrize("key", KEYS)
def test_each_key_changes_its_field_alone(tmp_path: Path, key: str) -> None:
    before = fields_of(tmp_path, "{}")
    value, changed = KEYS[key]
    after = fields_of(tmp_path, f"{key}: {value}\n")
    assert {name for name in after if after[name] != before[name]} == changed


@pytest.mark.parametrize("text", ["{}", "", "roles: {}\nplugins: []\nby: []\n"])
def test_what_isnt_set_is_the_default(tmp_path: Path, text: str) -> None:
    assert fields_of(tmp_path, text) == Settings(file=tmp_path / "lve.yaml")._asdict()
