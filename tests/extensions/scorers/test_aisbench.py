"""The part of the program that has AISBench render and judge, with modules in place of its own."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lve.extensions.scorers import aisbench
from lve.extensions.scorers.package import Script, rows_class


class Registry:
    """Makes what is registered, as mmengine's do."""

    def __init__(self, **kinds: Any) -> None:
        self.kinds = kinds

    def register_module(self, name: str, module: Any) -> None:
        self.kinds[name] = module

    def build(self, config: Mapping[str, Any]) -> Any:
        values = {name: value for name, value in config.items() if name != "type"}
        return self.kinds[config["type"]](**values)


class Model:
    """The base of the package's models."""

    def __init__(self, path: str, meta_template: object) -> None:
        self.meta_template = meta_template


class Inferencer:
    """Asks for each text of a row; with labels, it rates them."""

    def __init__(self, model_cfg: Any, batch_size: int, labels: tuple[str, ...] = ()) -> None:
        self.model = MODELS.build(model_cfg)
        self.labels = labels
        self.output_handler: Any = None

    def get_data_list(self, retriever: Any) -> list[dict[str, Any]]:
        return [{"index": n, "prompt": each} for n, each in enumerate(retriever.dataset)]

    async def do_request(self, data: Any, bucket: None, session: None) -> None:
        output = SimpleNamespace(get_prediction=lambda: said)
        if self.labels:
            rated = []
            for label in self.labels:
                await self.model.get_ppl(f"{data['prompt']} {label}", 1, output, session=session)
                rated.append(output.ppl)
            said = self.labels[rated.index(min(rated))]
        else:
            await self.model.generate(data["prompt"], 1, output, session=session)
            said = output.content
        assert output.success
        await self.output_handler.report_cache_info(data["index"], data["prompt"], output, "x", "g")


MODELS = Registry()


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> aisbench.Package:
    """The package, over modules of this file."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    home = aisbench.HOME
    registry = SimpleNamespace(
        LOAD_DATASET=Registry(),
        MODELS=MODELS,
        ICL_RETRIEVERS=Registry(Zero=SimpleNamespace),
        ICL_INFERENCERS=Registry(Gen=Inferencer),
    )
    logger = SimpleNamespace(get_current_instance=lambda: None)
    modules = {
        "mmengine.config": SimpleNamespace(ConfigDict=dict),
        "mmengine.logging": SimpleNamespace(MMLogger=logger),
        "mmengine.dist.utils": SimpleNamespace(is_distributed=None),
        "datasets": SimpleNamespace(),
        "multiprocessing": SimpleNamespace(),
        f"{home}.registry": registry,
        f"{home}.datasets.base": SimpleNamespace(BaseDataset=object),
        f"{home}.models.local_models.base": SimpleNamespace(BaseModel=Model),
        f"{home}.models.api_models.base_api": SimpleNamespace(BaseAPIModel=Model),
        f"{home}.utils.config": SimpleNamespace(build_dataset_from_cfg=lambda data: data["rows"]),
    }
    monkeypatch.setattr(aisbench.importlib, "import_module", modules.__getitem__)
    for name in ("mmengine.dist.utils",):
        monkeypatch.setitem(sys.modules, name, modules[name])
    return aisbench.Package({"Absentees": lambda name: name}, {"rows_class": rows_class})


def predictions(package: aisbench.Package, folder: Path, script: Script, **options: Any) -> Any:
    """Return what the task of inference writes."""
    model = {"type": package.models["chat"], "script": script, "max_out_len": 8, "batch_size": 1}
    infer = {"retriever": {"type": "Zero"}, "inferencer": {"type": "Gen", **options}}
    data = {"rows": ["one", "two"], "infer_cfg": infer}
    config = {"models": [model], "datasets": [[data]], "work_dir": str(folder)}
    package.tasks["infer"](config).run()
    return json.loads((folder / "predictions" / "m" / "rows.json").read_text())


def test_the_packages_own_inferencer_asks_the_script(
    package: aisbench.Package, tmp_path: Path
) -> None:
    script = Script(["A", "B"])
    said = predictions(package, tmp_path, script)
    assert script.prompts == ["one", "two"]
    assert said == {
        "0": {"prediction": "A", "gold": "g"},
        "1": {"prediction": "B", "gold": "g"},
    }


def test_labels_are_rated_row_by_row(package: aisbench.Package, tmp_path: Path) -> None:
    script = Script(rated=[-1.0, -2.0])
    said = predictions(package, tmp_path, script, labels=("good", "bad"))
    assert script.rated(1, 2) == ["two good", "two bad"]
    assert [each["prediction"] for each in said.values()] == ["good", "bad"]


@pytest.mark.parametrize(("evaluator", "is_told"), [("BFCLRelevanceEvaluator", True), ("A", False)])
def test_the_packages_own_task_judges(
    package: aisbench.Package,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    evaluator: str,
    is_told: bool,
) -> None:
    ran: list[Any] = []

    class Task:
        def __init__(self, config: Any) -> None:
            self.config = config

        def run(self, manager: Any) -> None:
            manager.update_task_state({"status": "x"})
            ran.append(self.config)

    tasks = SimpleNamespace(OpenICLEvalTask=Task)
    monkeypatch.setattr(aisbench.importlib, "import_module", lambda name: tasks)
    file = tmp_path / "predictions" / "m" / "rows.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"0": {"prediction": "a"}, "1": {"prediction": "b"}}))
    data = {"eval_cfg": {"evaluator": {"type": f"x.{evaluator}"}}}
    config = {"models": [{}], "datasets": [[data]], "work_dir": str(tmp_path)}
    package.tasks["eval"](config).run()
    lines = [json.loads(line) for line in file.with_suffix(".jsonl").read_text().splitlines()]
    assert lines == [{"id": 0, "prediction": "a"}, {"id": 1, "prediction": "b"}]
    assert ran[0]["cli_args"] == {}
    assert ("returns_tool_calls" in ran[0]["models"][0]) == is_told


def test_there_is_no_shared_memory(package: aisbench.Package) -> None:
    shared: Any = aisbench.importlib.import_module("multiprocessing")
    assert shared.RawValue("i", 3).value == 3
    with shared.Lock():
        assert not sys.modules["mmengine.dist.utils"].is_distributed()
    assert asyncio.iscoroutinefunction(MODELS.kinds["OwnText"].get_ppl)
