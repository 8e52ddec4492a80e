"""docs/local-models.md: its promises, word for word, with a tiny model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace
from support.page_statements import Statement, Statements, rows, write

from lve.errors import UsageError

STATEMENTS = Statements()
on_page = STATEMENTS.says
ARGS = {"max_tokens": 4}


@pytest.fixture
def home(tmp_path: Path, tiny: Path) -> Iterator[Path]:
    shutil.copytree(tiny, tmp_path / "models" / "tiny")
    return tmp_path


def run(*options: str, model: str = "hf/models/tiny") -> tuple[int, str, str]:
    return call("run", "t", "-m", model, "--no-cache", *options)


def answers(*options: str) -> list[str]:
    tests = json.loads(run("--json", *options)[1])["tests"]
    return [row["responses"][0] for row in tests[0]["instances"]]


@on_page(
    "local-models",
    "`hf/PATH-OR-NAME` runs a causal language model on this machine.",
    "At temperature 0 lve takes the most likely token.",
)
def a_folder_answers_the_same_twice(root: Path) -> None:
    write(root / "t", default_model_args=ARGS, check={"not_contains": "\0"})
    assert answers() == answers()


@on_page("local-models", "With a `seed`, an answer doesn't depend on other requests in the batch.")
def a_seed_decides_whatever_else_is_asked(root: Path) -> None:
    args = {**ARGS, "temperature": 1, "seed": 3}
    write(root / "t", default_model_args=args, check={"not_contains": "\0"})
    assert answers()[1:2] == answers("--rows", "2")


@on_page("local-models", "* lve downloads nothing: get a model of the hub first")
def nothing_is_downloaded(root: Path) -> None:
    write(root / "t")
    with pytest.raises(UsageError, match="hf download nobody/nothing"):
        run(model="hf/nobody/nothing")


@on_page("local-models", "A test may name only folders below the current one")
def a_test_names_no_folder_elsewhere(root: Path) -> None:
    (root / "here").mkdir()
    write(root / "here" / "t", model="hf/../models/tiny")
    workspace(root / "here")
    with pytest.MonkeyPatch.context() as place:
        place.chdir(root / "here")
        code, out, err = call("run", "t")
    assert code in (2, 3)
    assert "models/tiny" in out + err


@on_page("local-models", "(default 512), `stop`, `seed`. Others are refused.")
def other_args_are_refused(root: Path) -> None:
    write(root / "t", default_model_args={"presence_penalty": 1}, dataset=rows(1))
    code, out, err = run()
    assert code in (2, 3)
    assert "presence_penalty" in out + err


@on_page("local-models", "Images are refused.")
def images_are_refused(root: Path) -> None:
    prompt = [{"content": "Hi {name}", "image_url": "data:image/png;base64,aGk="}]
    write(root / "t", prompt=prompt, dataset=rows(1))
    code, out, err = run()
    assert code in (2, 3)
    assert "image" in out + err


@on_page("local-models", "reads only weights in safetensors format")
def other_weights_are_not_read(root: Path) -> None:
    for file in (root / "models" / "tiny").glob("*.safetensors"):
        file.rename(file.with_name("pytorch_model.bin"))
    write(root / "t", dataset=rows(1))
    code, out, err = run()
    assert code in (2, 3)
    assert "safetensors" in out + err


@on_page("local-models", "`batch_size` | the most texts in a batch | 32")
def an_unknown_option_is_told(root: Path) -> None:
    settings = {"m": {"provider": "hf", "model": "models/tiny", "options": {"batch_sise": 3}}}
    (root / "lve.yaml").write_text(json.dumps({"models": settings}), encoding="utf-8")
    write(root / "t")
    result = lve("run", "t", "-m", "m", code=2)
    said = result.output + str(result.exception)
    assert "did you mean `batch_size`" in said


@pytest.mark.parametrize("statement", [*STATEMENTS.cases()])
def test_the_page_is_true(
    statement: Statement, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement.hold(home, monkeypatch)
