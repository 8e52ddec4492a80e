"""`lve export avid`: what a session found, as reports for the AI Vulnerability Database.

The reports follow `avidtools.datamodels.report.Report` of avidtools 0.1.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from lve import __version__
from lve.cli.printing import print_message, print_text
from lve.cli.report_files import find_session
from lve.documents.json_lines import file_json
from lve.errors import UsageError
from lve.extension_table import extension_part
from lve.files.new_files import write_new_file
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.sessions.instance_result import REPLAY
from lve.sessions.session_tests import SessionTest
from lve.verdicts.recorded_session import RecordedSession
from lve.verdicts.tally import Tally

VERSION = "0.2"
"""Of AVID's taxonomy and of the reports."""
_DOMAINS = {"S": "Security", "E": "Ethics", "P": "Performance"}
_OF_OWASP = {
    "LLM01": "S0403",
    "LLM02": "S0301",
    "LLM03": "S0200",
    "LLM04": "S0600",
    "LLM05": "S0100",
    "LLM06": "S0300",
    "LLM07": "S0301",
    "LLM08": "S0601",
    "LLM09": "E0402",
    "LLM10": "S0302",
}
"""Category of OWASP's list -> the nearest one of AVID's, where a test has no tag `avid`."""
_CODE = re.compile(r"[SEP]0\d{3}")
_NOT_FOUND = ("none", "benign")
"""Values of the tag `attack` that are no attacks."""


@click.command()
@click.argument("session", default="last")
@click.argument("tests", nargs=-1)
@click.option("-o", "--output", metavar="FOLDER", help="Write a file per report to this folder.")
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
def avid(session: str, tests: tuple[str, ...], output: str | None, session_dir: str | None) -> None:
    """Write what a session found as AVID's reports.

    AVID is the AI Vulnerability Database. There is a report for each test and model whose answers
    didn't meet what the test expects, and for each weakness that a test documents (`expect: fail`)
    and that the model has. Answers aren't in it. Without -o, the reports are printed as one JSON
    list.

    \b
    lve export avid last
    lve export avid last codeword@base64 -o reports
    """
    place = Path(session_dir) if session_dir else choose_workspace(()).session_dir
    only = frozenset(tests) or None
    folder = find_session(place, session)
    with RecordedSession.of(folder, only=only) as recorded:
        reports = dict(_reports(recorded))
        is_replayed = any(model == REPLAY for _, model in recorded.tests)
        missing = sorted(frozenset(tests) - {test for test, _ in recorded.tests})
    if missing:
        raise UsageError(f"the session has no test {missing[0]}", code="unknown_name")
    if not reports:
        reason = "no test found a weakness: there is nothing to report"
        if is_replayed:
            reason = "a replay has answers of any models: export the session that asked the model"
        raise UsageError(reason, code="nothing_to_export")
    if output is None:
        print_text(json.dumps(list(reports.values()), ensure_ascii=False, indent=1))
        return
    target = Path(output)
    target.mkdir(parents=True, exist_ok=True)
    for name, report in reports.items():
        text = file_json(report, partial(json.dumps, ensure_ascii=False, indent=1))
        write_new_file(target, f"{name}.json", f"{text}\n".encode())
    print_message(f"{amount(len(reports), 'report')} in {output}")


def _reports(recorded: RecordedSession) -> Iterator[tuple[str, dict[str, Any]]]:
    started = str(recorded.info["started"])[:10]
    for (name, model), tally in sorted(recorded.summary.tallies.items()):
        test = recorded.tests[name, model]
        if model != REPLAY and _is_weakness(tally):
            file = re.sub(r"[^A-Za-z0-9._@-]+", "-", f"{name}--{model}").strip(".-")
            yield file, report_of(test, tally, started)


def _is_weakness(tally: Tally) -> bool:
    verdict = tally.verdict()[0]
    failed = tally.counts["failed"] > 0
    return failed and verdict == ("passed" if tally.expect.kind == "fail" else "failed")


def report_of(test: SessionTest, tally: Tally, date: str) -> dict[str, Any]:
    """Return the report of a test that found a weakness of a model.

    Args:
        test: as the session has it.
        tally: its results.
        date: when the session started, `YYYY-MM-DD`.
    """
    tags = dict(test.tags)
    attack = tags.get("attack")
    how = f" It is attacked by `{attack}`." if attack and attack not in _NOT_FOUND else ""
    if attack == "benign":
        how = " The rows are honest ones, which the model should answer."
    codes = categories(tags)
    reason = tally.verdict()[1]
    measured = f"{tally.counts['failed']} of {tally.judged} answers failed"
    description = f"{test.description}{how} {measured} ({reason})."
    references = [{"type": "source", "label": "lve", "url": test.document or test.test}]
    names = (_spelled(value) for name, value in tags.items() if name in ("owasp", "atlas", "nist"))
    references += [{"type": "taxonomy", "label": name, "url": ""} for name in names]
    return {
        "data_type": "AVID",
        "data_version": VERSION,
        "metadata": {"report_id": f"{test.test}/{tally.model}"},
        "affects": {
            "developer": [],
            "deployer": [],
            "artifacts": [{"type": "Model", "name": tally.model}],
        },
        "problemtype": {
            "classof": "LLM Evaluation",
            "type": "Measurement",
            "description": {"lang": "eng", "value": test.description},
        },
        "metrics": [_metric(tally)],
        "references": references,
        "description": {"lang": "eng", "value": description},
        "impact": {
            "avid": {
                "vuln_id": None,
                "risk_domain": sorted({_DOMAINS[code[0]] for code in codes}),
                "sep_view": codes,
                "lifecycle_view": ["L05: Evaluation"],
                "taxonomy_version": VERSION,
            }
        },
        "credit": [{"lang": "eng", "value": test.author}] if test.author else [],
        "reported_date": date,
    }


def _metric(tally: Tally) -> dict[str, Any]:
    """Return how often answers failed, with the bounds by which the test was judged."""
    rate, expect = tally.rate, tally.expect
    is_claim = expect.kind == "rate" and not expect.counts_results
    return {
        "name": "failure rate",
        "detection_method": {
            "type": "Significance Test" if is_claim else "Static Threshold",
            "name": f"lve {__version__}: expected {expect.in_words}",
        },
        "results": {
            "failed": tally.counts["failed"],
            "judged": tally.judged,
            "errors": tally.counts["error"],
            "rate": None if rate.rate is None else 1 - rate.rate,
            "low": 1 - rate.high,
            "high": 1 - rate.low,
            "confidence": rate.confidence,
        },
    }


def categories(tags: Mapping[str, str]) -> list[str]:
    """Return the categories of AVID's taxonomy that tags name, as its reports spell them: those of
    the tag `avid`, else the one nearest to that of the tag `owasp`, else none."""
    codes = _CODE.findall(tags.get("avid", ""))
    nearest = _OF_OWASP.get(tags.get("owasp", ""))
    codes = codes or [nearest] * (nearest is not None)
    spelled = (_spelled(code) for code in codes)
    return [f"{name[:5]}:{name[5:]}" for name in spelled if len(name) > 5]


def _spelled(code: str) -> str:
    name: str = extension_part("name of a code")(code)
    return name
