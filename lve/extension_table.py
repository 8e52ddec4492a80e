"""The names of what extensions add, by which the core reaches them, as it reaches plugins.

The core never imports `lve.extensions`. A name here is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

VERBS: Mapping[str, str] = {
    "baseline": "lve.extensions.comparing.verbs.baseline",
    "cache": "lve.extensions.caching.verb",
    "calibrate": "lve.extensions.calibration.verb",
    "commit": "lve.extensions.contributing.verbs.commit",
    "compare": "lve.extensions.comparing.verbs.compare",
    "completion": "lve.extensions.completion.verb",
    "doctor": "lve.extensions.doctor.verb",
    "help": "lve.extensions.help.verb",
    "import": "lve.extensions.importing.verb",
    "init": "lve.extensions.authoring.verbs.init",
    "merge": "lve.extensions.shards.verb",
    "new": "lve.extensions.authoring.verbs.new",
    "pr": "lve.extensions.contributing.verbs.pr",
    "prompt": "lve.extensions.ragas.verb",
    "readme": "lve.extensions.contributing.verbs.readme",
    "record": "lve.extensions.recording.verb",
    "render": "lve.extensions.rendering.verb",
    "schema": "lve.extensions.authoring.verbs.schema",
    "score": "lve.extensions.scoring.verb",
    "site": "lve.extensions.site.verb",
    "status": "lve.extensions.contributing.verbs.status",
    "unit-test": "lve.extensions.contributing.verbs.unit_test",
    "view": "lve.extensions.view.verb",
    "watch": "lve.extensions.watching.verb",
}
"""Verb -> the module that has its command."""
PLUGINS: Mapping[tuple[str, str], str] = {
    ("model", "exec"): "lve.extensions.targets.exec.plugin:make_model",
    ("model", "hf"): "lve.extensions.hf.plugin:make_model",
    ("model", "http"): "lve.extensions.targets.http.plugin:make_model",
    ("model", "python"): "lve.extensions.targets.python.plugin:make_model",
    ("importer", "promptfoo"): "lve.extensions.importing.promptfoo:read_config",
}
"""Kind and name -> entry point of what is found as plugins are. pyproject.toml has the same; this
copy makes them work in a checkout that was never installed."""
CHECKERS: Mapping[str, str] = {
    "BiasChecker": "lve.extensions.hf.classifiers",
    "ChoiceChecker": "lve.extensions.opencompass.choice_checker",
    "MonotonicityChecker": "lve.extensions.orders.monotonicity",
    "PII_Checker": "lve.extensions.leaks.pii_checker",
    "RefuseChecker": "lve.extensions.refusals.refuse_checker",
    "ToxicityChecker": "lve.extensions.hf.classifiers",
    "answer_correctness": "lve.extensions.judges.statements",
    "answer_relevancy": "lve.extensions.judges.grounded",
    "closed_qa": "lve.extensions.judges.rubrics",
    "code_fence": "lve.extensions.formats.structured",
    "context_precision": "lve.extensions.judges.retrieval",
    "context_recall": "lve.extensions.judges.retrieval",
    "context_relevance": "lve.extensions.judges.retrieval",
    "csv": "lve.extensions.formats.structured",
    "factuality": "lve.extensions.judges.grounded",
    "faithfulness": "lve.extensions.judges.grounded",
    "finish_reason": "lve.extensions.measured.measurements",
    "is_sql": "lve.extensions.formats.sql",
    "is_xml": "lve.extensions.formats.structured",
    "is_yaml": "lve.extensions.formats.structured",
    "judge": "lve.extensions.judges.rubrics",
    "math": "lve.extensions.mathematics.math_answer",
    "max_bias": "lve.extensions.hf.classifiers",
    "max_cost": "lve.extensions.measured.measurements",
    "max_first_token": "lve.extensions.measured.measurements",
    "max_latency": "lve.extensions.measured.measurements",
    "max_output_tokens": "lve.extensions.measured.measurements",
    "max_reasoning_tokens": "lve.extensions.measured.measurements",
    "max_toxicity": "lve.extensions.hf.classifiers",
    "monotone": "lve.extensions.orders.ordered",
    "most_likely": "lve.extensions.measured.measurements",
    "no_pii": "lve.extensions.leaks.leak_checks",
    "no_prompt_leak": "lve.extensions.leaks.leak_checks",
    "no_secrets": "lve.extensions.leaks.leak_checks",
    "noise_sensitivity": "lve.extensions.judges.statements",
    "pairwise": "lve.extensions.judges.pairwise",
    "pairwise_order": "lve.extensions.orders.ordered",
    "refusal": "lve.extensions.refusals.refusing",
    "similar": "lve.extensions.judges.similar",
}
"""Name of a checker -> the module that has its class."""
PARTS: Mapping[str, str] = {
    "annotations on GitHub": "lve.extensions.github.annotations:annotate",
    "anthropic": "lve.extensions.anthropic.plugin:anthropic_model",
    "baseline view": "lve.extensions.comparing.verbs.baseline:baseline_view",
    "batches of Anthropic": "lve.extensions.batch.anthropic:AnthropicBatches",
    "batches of OpenAI": "lve.extensions.batch.openai:OpenAIBatches",
    "batching": "lve.extensions.batch.batching:Batching",
    "bedrock": "lve.extensions.bedrock.plugin:bedrock_model",
    "breakdown as JSON": "lve.extensions.breakdown.documents:breakdown_json",
    "breakdown as Markdown": "lve.extensions.breakdown.documents:breakdown_markdown",
    "breakdown as text": "lve.extensions.breakdown.text:breakdown_lines",
    "breakdown of two sessions": "lve.extensions.breakdown.compared:ComparedBreakdown",
    "calibrated checks": "lve.extensions.calibration.check_status:CalibratedChecks",
    "categories as text": "lve.extensions.breakdown.categories:category_lines",
    "changed examples": "lve.extensions.mutate.flips:find_flips",
    "cluster": "lve.extensions.ray.starting:use_cluster",
    "completers": "lve.extensions.completion.completers:add_completers",
    "completion of shells": "lve.extensions.completion.verb:add_shells",
    "csv report": "lve.extensions.reports.csv_:write_csv",
    "document with braces": "lve.extensions.braces.template_text:document_with_single_braces",
    "dry run": "lve.extensions.dry_run.command:dry_run",
    "example models": "lve.extensions.opencompass.example_models:ExampleModels",
    "function as a model": "lve.extensions.targets.python.here:FunctionModel",
    "gemini": "lve.extensions.gemini.plugin:gemini_model",
    "html report": "lve.extensions.reports.page.html_file:write_page",
    "infer_cfg instance": "lve.extensions.opencompass.data.template_rows:judged_instance",
    "infer_cfg instances": "lve.extensions.opencompass.data.template_rows:template_instances",
    "infer_cfg": "lve.extensions.opencompass.build:DIALECT",
    "jinja prompt": "lve.extensions.braces.template_text:from_jinja",
    "jsonl report": "lve.extensions.reports.jsonl:write_jsonl",
    "junit report": "lve.extensions.reports.junit:write_junit",
    "local tokenizer": "lve.extensions.hf.tokenizer:local_tokenizer",
    "meant option": "lve.extensions.help.mistyped:meant_option",
    "meant verb": "lve.extensions.help.mistyped:meant_verb",
    "meta template": "lve.extensions.opencompass.formats.chat_text:chat_writer",
    "options of a run in help": "lve.extensions.help.run_options:write_groups",
    "openai client": "lve.extensions.openai_client.transport:OpenAIClientTransport",
    "parquet report": "lve.extensions.reports.parquet:write_parquet",
    "parquet rows": "lve.extensions.parquet.reading:read_parquet",
    "pattern description": "lve.extensions.authoring.patterns:pattern_description",
    "pattern names": "lve.extensions.authoring.patterns:pattern_names",
    "prompt with double braces": "lve.extensions.braces.template_text:from_double_braces",
    "prompt_object": "lve.extensions.ragas.plan:DIALECT",
    "recorded instances": "lve.extensions.revisions.recorded_side:RecordedSide",
    "replayed answers": "lve.extensions.contributing.verbs.unit_test:replay",
    "results in a notebook": "lve.extensions.reports.notebook:html_of",
    "results in pandas": "lve.extensions.reports.frame:to_pandas",
    "retrievers": "lve.extensions.opencompass.by_name:RETRIEVERS",
    "rules for contributed tests": "lve.extensions.contributing.rules:broken_rules",
    "single braces": "lve.extensions.braces.template_text:single_braces",
    "store in a file": "lve.extensions.store.address:why_not_in_file",
    "team store": "lve.extensions.store.team_store:TeamStore",
    "tool servers": "lve.extensions.mcp.servers:ToolServers",
    "unknown code": "lve.extensions.breakdown.codes:unknown_code",
    "view of checkers": "lve.extensions.authoring.checker_text:view_of_checkers",
    "watch": "lve.extensions.watching.watch:watch",
    "xlsx report": "lve.extensions.reports.xlsx:write_xlsx",
}
"""What a part does -> the object that does it."""


def extension_part(name: str) -> Any:
    """Return an object of `PARTS`."""
    module, _, attribute = PARTS[name].partition(":")
    return getattr(import_module(module), attribute)
