"""`.json`: everything about sessions, transcripts included (schemas/reports.schema.json).

Each session is the document of `lve run --json` with further fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from lve.reporting.files.session_report import session_report
from lve.reporting.json_reporters import printed, result_to_json, tally_to_json, to_json
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.result_json import transcript_to_json
from lve.sessions.session_tests import SessionTest
from lve.verdicts.recorded_session import RecordedSession

VERSION = 1
FACTS = ("started", "ended", "versions", "git", "options", "roles", "models", "tests")
"""Fields that are taken from `session.json`."""


def write_json(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write the document; one instance is in memory at a time."""
    for text in _texts(sessions):
        file.write(text.encode("ascii"))


def _texts(sessions: Sequence[RecordedSession]) -> Iterator[str]:
    yield f'{{"version":{VERSION},"sessions":['
    for number, session in enumerate(sessions):
        yield ",\n" if number else "\n"
        yield from _session(session)
    yield "\n]}\n"


def _session(session: RecordedSession) -> Iterator[str]:
    facts = {name: session.info.get(name) for name in FACTS}
    facts["options"] = {k: v for k, v in session.info["options"].items() if k != "state"}
    facts["status"] = session.status
    yield f'{{"session":{printed(session.id)},"about":{printed(facts)},'
    yield f'"summary":{printed(to_json(session_report(session)))},"tests":['
    for number, tally in enumerate(session.tallies):
        pair = (tally.test, tally.model)
        head = printed({**tally_to_json(tally), **_test_facts(session.tests[pair])})
        yield f'{"," if number else ""}\n{head.removesuffix("}")},"instances":['
        for place, result in enumerate(session.results(pair)):
            yield f"{',' if place else ''}\n {printed(_instance(result))}"
        yield "]}"
    yield "]}"


def _test_facts(test: SessionTest) -> dict[str, object]:
    return {
        "document": test.document,
        "description": test.description,
        "author": test.author,
        "category": test.category,
        "tags": [{"name": name, "value": value} for name, value in test.tags],
        "parameters": list(test.parameters),
    }


def _instance(result: InstanceResult) -> dict[str, object]:
    transcripts = [transcript_to_json(transcript) for transcript in result.transcripts]
    return {**result_to_json(result), "transcripts": transcripts}
