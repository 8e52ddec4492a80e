"""What becomes of promptfoo's tables, prompts, tools, settings and templates, each alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from extensions.importing.promptfoo.sources import source_in
from support.recorded_calls import Calls, changed, grid, in_folder, record, values

from lve.extensions.importing.promptfoo import tables, templates, thresholds
from lve.extensions.importing.promptfoo.assertions import MAKERS
from lve.extensions.importing.promptfoo.cases import read_cases
from lve.extensions.importing.promptfoo.config import read_config
from lve.extensions.importing.promptfoo.prompts import read_prompts
from lve.extensions.importing.promptfoo.providers import args as provider_args
from lve.extensions.importing.promptfoo.providers import tools
from lve.extensions.importing.promptfoo.providers.targets import Targets
from lve.extensions.importing.promptfoo.source import Source

VALUES = values("promptfoo")
[BESIDE] = VALUES["beside"]
"""Files beside the configuration."""
CONFIGS: tuple[dict[str, Any], ...] = (
    *({name: 7} for name in provider_args.ARGS),
    *({name: "x"} for name in (*provider_args.AWAY, *provider_args.ONLY_TOLD)),
    *({name: {"topK": 3, "other": 1}} for name in (*provider_args.INNER, "outer")),
    *({"generationConfig": 7}, {"seed": "{{env.SEED}}"}, {"stop": "file://nothing.json"}),
    *({"stop": "file://stop.json"}, {"maxTokens": 1, "max_tokens": 2}),
)
OWN = [(name, arg) for name, args in provider_args.OWN.items() for arg in sorted(args)]


def of_table(text: str, name: str) -> object:
    def work(folder: Path) -> object:
        source, _ = source_in(folder)
        read = tables.table_rows(source, f"file://{name}", frozenset(MAKERS))
        rows = [(row, at.problem("x", code="importer").line) for row, at in read]
        return f"{rows} {left_out(source)}"

    return in_folder({name: text}, work)


def left_out(source: Source) -> list[str]:
    return [str(problem) for problem in source.left_out]


def of_cell(cell: str) -> object:
    return of_table(f'a,__expected\n1,"{cell}"\n', "t.csv")


def args(config: dict[str, Any], provider: str) -> object:
    def work(folder: Path) -> object:
        source, _ = source_in(folder)
        own = provider_args.OWN.get(provider, frozenset[str]())
        return f"{provider_args.model_args(source, config, own)} {source.told}"

    return in_folder(BESIDE, work)


def offered(value: Any) -> object:
    return in_folder(BESIDE, lambda folder: str(tools.tools_of(source_in(folder)[0], value)))


def target(provider: str, config: dict[str, Any]) -> object:
    def work(folder: Path) -> object:
        source, _ = source_in(folder)
        targets = Targets(source)
        return f"{[targets.name(provider, config) for _ in range(3)]} {source.told[0]}"

    return in_folder({}, work)


def prompts(written: Any) -> object:
    def work(folder: Path) -> object:
        source, at = source_in(folder)
        read = read_prompts(source, written, at)
        parts = [(p.label, p.messages, list(p.names), sorted(p.called)) for p in read]
        return f"{parts} {left_out(source)}"

    return in_folder(BESIDE, work)


def cases(config: dict[str, Any]) -> object:
    def work(folder: Path) -> object:
        source, at = source_in(folder, config)
        read = [
            (
                str(case.position.problem("at", code="importer")),
                *(case.description, case.rows[:3], len(case.rows)),
                *([given for given, _ in case.asserted], case.threshold, case.variables),
                *(case.asked, case.transforms, case.has_texts, case.hub),
            )
            for case in read_cases(source, config, at)
        ]
        return f"{read} {left_out(source)} {source.told}"

    return in_folder(BESIDE, work)


def config(written: Any) -> object:
    """Return the tests of a configuration, and what is said of it, with its lines."""

    def work(folder: Path) -> object:
        text = json.dumps(written, indent=0)
        (folder / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
        read = read_config(folder)
        tests = [
            (
                *(test.folder, test.document["source"]["line"]),
                *({**test.document, "source": 0}.items()),
                *((file, text) for file, text in test.files.items() if file != "import.json"),
            )
            for test in read.tests
        ]
        left_out = [str(problem).replace(str(folder), "FOLDER") for problem in read.left_out]
        return tests, left_out, read.notes

    return in_folder(BESIDE, work)


def placeholders(text: str) -> object:
    names: dict[str, None] = {}
    return templates.to_placeholders(text, names), list(names), templates.is_template(text)


def threshold(assertion: dict[str, Any], default: float | None, above: float) -> float:
    return thresholds.number(assertion, default, above=above, highest=1)


def all_calls() -> Calls:
    calls = {
        **grid(of_cell, VALUES["cells"]),
        **grid(of_table, VALUES["tables"], ("t.csv",)),
        **grid(of_table, VALUES["lines"], ("t.jsonl",)),
        **grid(args, CONFIGS, ("",)),
        **grid(offered, VALUES["tools"]),
        **grid(tools.choice_of, VALUES["choices"]),
        **grid(target, VALUES["providers"], VALUES["of_providers"]),
        **grid(prompts, VALUES["prompts"]),
        **grid(cases, VALUES["tests"]),
        **grid(config, VALUES["configs"]),
        **grid(placeholders, VALUES["templates"]),
        **grid(templates.filled, VALUES["template_rows"]),
        **grid(templates.value_text, (None, "a", 1, 1.0, 1.5, True, ["\xe4", 1], {"a": 1})),
        **grid(threshold, VALUES["numbers"], (None, 0.7), (-1, 0)),
    }
    for provider, name in OWN:
        calls |= grid(args, ({name: {"a": 1}}, {name: ["{{x}}"]}), (provider,))
    return calls


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("promptfoo", all_calls()) == {}


if __name__ == "__main__":
    record("promptfoo", all_calls())
