"""What importers make of names, rows, metrics and columns of other tools, each of them alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from extensions.importing.opencompass.test_as_python import HEAD
from extensions.importing.opencompass.test_as_python import texts as expressions
from support.lm_eval_dump import recorded_task
from support.recorded_calls import Calls, changed, grid, in_folder, record, rows_of, values

from lve.extensions.importing import other_tools
from lve.extensions.importing.corpora import SHAPES, read_corpus, seeds
from lve.extensions.importing.data_sets import ROWS, read_data_set
from lve.extensions.importing.folders import Names
from lve.extensions.importing.lm_eval.documents import tests_of as documents_of
from lve.extensions.importing.lm_eval.metrics import checks_of
from lve.extensions.importing.openai_evals import samples
from lve.extensions.importing.opencompass import rows
from lve.extensions.importing.opencompass.configuration import Configuration
from lve.extensions.importing.opencompass.data_sets import DataSet
from lve.extensions.importing.opencompass.package import Package

VALUES = values("importing")
HOMES = ("a_b_c", "x/y", "y", "x", "opencompass/x", "opencompass_x", "own", ".")
STEMS = ("test", "dev", "n", "n_test", "test/n", "test/n_test", "n/test")
FILES = [f"{home}/{stem}.{end}" for home in HOMES for stem in STEMS for end in rows.ENDINGS]
TASKS = ("capitals", "greetings", "endings", "texts")


def data_set(config: dict[str, Any]) -> DataSet:
    return DataSet(config, Path("own.py"), 1)


def columns(config: dict[str, Any]) -> object:
    own = data_set(config)
    return own.abbr, rows.columns_of(own), rows.split_names(own), rows.needs_examples(own)


def read_in_order(config: dict[str, Any], split: str) -> object:
    """Return the files in which rows are looked for: each is taken away once it was read."""

    def work(folder: Path) -> object:
        order: list[object] = []
        try:
            while len(order) < len(FILES):
                [row] = rows.RowFiles(folder).rows(data_set(config), split)
                order.append(row["file"])
                (folder / str(row["file"])).unlink()
        except rows.NoRowsError as error:
            order.append(str(error))
        return str(order)

    return in_folder({file: row_of(file) for file in FILES}, work)


def row_of(file: str) -> str:
    """Return a file with one row, which names it."""
    if file.endswith("csv"):
        return f"q,n,r,file\nx,x,x,{file}\n"
    row = json.dumps({"q": "x", "n": "x", "r": "x", "file": file})
    return row if file.endswith("jsonl") else f"[{row}]"


def rows_in(text: str, ending: str) -> object:
    own = data_set(VALUES["data_sets"][0])
    file = f"a_b_c/test.{ending}"
    return in_folder({file: text}, lambda folder: rows.RowFiles(folder).rows(own, "test"))


def cost(expression: str) -> object:
    """Return the steps, characters and levels that reading an expression has cost."""

    def work(folder: Path) -> object:
        configuration = Configuration(Package(folder), folder / "own.py")
        configuration.names()
        spent = configuration.work
        return spent.steps, spent.characters, spent.depth

    return in_folder({"own.py": f"{HEAD}{expression}\n"}, work)


def metric(name: str, aggregation: str = "mean", **options: Any) -> dict[str, Any]:
    return {"name": name, "options": options, "aggregation": aggregation, "is_own": False}


def checked(task: str, own: dict[str, Any], **changes: Any) -> list[str]:
    return [str(check) for check in checks_of(recorded_task(task, metrics=[own], **changes))]


def of_metric(task: str, name: str, aggregation: str) -> list[str]:
    return checked(task, metric(name, aggregation))


def of_options(name: str, options: dict[str, Any]) -> list[str]:
    return checked("greetings", metric(name, name if name != "exact_match" else "mean", **options))


def of_step(step: tuple[str, dict[str, Any]], is_own: bool) -> list[str]:
    steps = [{"function": step[0], "options": step[1], "is_own": is_own}]
    return checked("greetings", metric("exact_match"), filters=[{"name": "c", "steps": steps}])


def documents(task: str, metric_name: str, rows: int | None = None, **row: Any) -> list[Any]:
    own = recorded_task(task, metrics=[metric(metric_name)])
    own.rows = [{**each, **row} for each in own.rows[:rows]]
    return list(documents_of(own, {"tool": "t"}))


def generated(options: Any) -> object:
    [(_, document, _)] = documents("greetings", "exact_match", options=options)
    return document["default_model_args"]


def of_one_row(task: str, metric_name: str) -> object:
    return str(documents(task, metric_name, rows=1))


def rated(value: Any) -> list[str]:
    *others, (_, _, text) = documents("capitals", "acc", target=value)
    return [*map(str, others), *text.splitlines()]


def shaped(several: list[list[str]]) -> object:
    turns = [[samples.Turn(*turn.split(":")) for turn in sample] for sample in several]
    read = samples.shapes(samples.Sample(sample, {"message_1": "m"}, {}) for sample in turns)
    return [shape.prompt_and_rows() for shape in read]


def corpus(row: dict[str, Any], name: str) -> object:
    text = "".join(f"{json.dumps(each)}\n" for each in (row, {**row, "type": "t"}))

    def work(folder: Path) -> object:
        read = read_corpus(folder / name)
        [test] = read.tests
        return f"{test.folder} {test.document} {test.files} {[str(why) for why in read.left_out]}"

    return in_folder({name: text}, work)


def guessed(rows: list[dict[str, Any]]) -> object:
    """Return the prompt, check and rows of a data set's test, and what is left out."""

    def work(folder: Path) -> object:
        (folder / "d.json").write_text(json.dumps(rows), encoding="utf-8")
        read = read_data_set(folder / "d.json")
        [test] = read.tests
        parts = test.document["prompt"], test.document["check"], test.files[ROWS]
        left_out = [str(why).replace(str(folder), "FOLDER") for why in read.left_out]
        return [*parts, left_out, [note[:60] for note in read.notes]]

    return in_folder({}, work)


def named(*titles: str) -> list[str]:
    names = Names()
    return [names.new(title, "other") for title in titles]


def all_calls() -> Calls:
    metrics, others = VALUES["metrics"], VALUES["aggregations"]
    titles = [("A b", "a-b", "A.B"), ("", "...", "a" * 60), ("CON", "__pycache__", "x")]
    return {
        **grid(columns, VALUES["data_sets"]),
        **grid(read_in_order, VALUES["data_sets"], ("test",)),
        **grid(read_in_order, VALUES["data_sets"][:1], ("dev",)),
        **grid(rows_in, VALUES["texts_of_rows"], rows.ENDINGS),
        **grid(cost, expressions("python_expressions")),
        **grid(of_metric, TASKS, metrics, ("mean",)),
        **grid(of_metric, ("capitals",), ("acc", "f1", "mcc"), others),
        **grid(of_metric, ("greetings",), ("exact_match", "bleu", "chrf++"), others),
        **grid(of_metric, ("endings",), ("perplexity", "byte_perplexity"), others),
        **grid(of_options, ("exact_match", "bleu", "chrf++"), VALUES["options"]),
        **grid(of_step, VALUES["steps"], (False, True)),
        **grid(generated, VALUES["generation"]),
        **rows_of(
            of_one_row, zip(TASKS, ("acc", "exact_match", "perplexity", "perplexity"), strict=True)
        ),
        **grid(rated, VALUES["targets"]),
        **grid(samples.turns_of, VALUES["inputs"]),
        **grid(samples.has_names, VALUES["inputs"]),
        **grid(shaped, VALUES["several"]),
        **grid(corpus, VALUES["corpus_rows"], ("c.jsonl",)),
        **grid(corpus, VALUES["corpus_rows"][:1], ("Benign.jsonl", "c.txt", "c.xyz")),
        **grid(guessed, VALUES["guessed"]),
        **grid(seeds.seed_rows, VALUES["seeds"]),
        **rows_of(named, titles),
        **grid(
            other_tools.meant_check,
            [*other_tools.CHECK_NAMES, "not-llm-rubric", "LLM_rubric", "not-not"],
        ),
        **{f"corpus {n}": str(shape) for n, shape in enumerate(SHAPES)},
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("importing", all_calls()) == {}


if __name__ == "__main__":
    record("importing", all_calls())
