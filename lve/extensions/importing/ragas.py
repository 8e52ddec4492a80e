"""Reads data sets of ragas (`EvaluationDataset`): samples of one turn with their recorded answers,
and conversations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from lve.errors import Problem, UsageError
from lve.escape import excerpt, listed
from lve.extensions.importing.certificate import source_of, with_certificate
from lve.extensions.importing.folders import Names
from lve.extensions.importing.row_files import lines_of, rows_of
from lve.importers import Imported, ImportedTest
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.prompts.fill_texts import as_literal
from lve.workspace import display_path

INPUT, RESPONSE, CONTEXTS, REFERENCE = "user_input", "response", "retrieved_contexts", "reference"
FIELDS = (INPUT, CONTEXTS, REFERENCE, RESPONSE)
"""Fields of a sample of one turn that the metrics here need."""
OLDER = {"question": INPUT, "answer": RESPONSE, "contexts": CONTEXTS, "ground_truth": REFERENCE}
"""Columns of ragas before 0.2 -> what they are called now."""
ABSENT = (None, "", "[]")
"""Values of fields without any; CSV has an empty list as a text."""
ANSWERED = "instances/answers.jsonl"
MAX_TALKS = 1_000
"""Conversations of a file."""
_ROLES = {"human": "user", "ai": "assistant", "system": "system"}
TALK = "The conversation ends in what this describes: "
REPLAY = (
    "`lve run FOLDER --model replay --role judge=MODEL` judges the answers of the file; with the "
    "model or application that you test instead of replay, new ones"
)


class Metric(NamedTuple):
    """A metric of ragas."""

    needs: tuple[str, ...]
    check: JsonObject


_QUESTION, _RIGHT = {"question": f"{{{INPUT}}}"}, {REFERENCE: f"{{{REFERENCE}}}"}
_PLACE = f"{{{CONTEXTS}}}"
METRICS: Mapping[str, Metric] = {
    "answer_relevancy": Metric((RESPONSE,), {"answer_relevancy": f"{{{INPUT}}}"}),
    "context_precision": Metric(
        (CONTEXTS, REFERENCE), {"context_precision": _PLACE, **_RIGHT, **_QUESTION}
    ),
    "faithfulness": Metric((RESPONSE, CONTEXTS), {"faithfulness": _PLACE}),
    "context_recall": Metric(
        (CONTEXTS, REFERENCE), {"context_recall": _PLACE, **_RIGHT, **_QUESTION}
    ),
}
"""Those that ragas' `evaluate` takes if none is named, as far as the fields allow."""
OTHERS: Mapping[str, Metric] = {
    "context_relevance": Metric((CONTEXTS,), {"context_relevance": _PLACE, **_QUESTION}),
    "answer_correctness": Metric(
        (RESPONSE, REFERENCE), {"answer_correctness": f"{{{REFERENCE}}}", **_QUESTION}
    ),
    "noise_sensitivity": Metric(
        (RESPONSE, CONTEXTS, REFERENCE), {"noise_sensitivity": _PLACE, **_RIGHT, **_QUESTION}
    ),
    "similar": Metric((RESPONSE, REFERENCE), {"similar": f"{{{REFERENCE}}}"}),
}
"""Further ones, which the user is told of."""


def read_samples(path: Path) -> Imported:
    """Return the tests of a data set of ragas.

    Args:
        path: JSON lines (`EvaluationDataset.to_jsonl`), CSV, JSON or Parquet.

    Raises:
        UsageError: it is no such file.
        SpecError: it can't be read.
    """
    left_out, file = list[str](), display_path(path)
    shapes: dict[tuple[str, ...], list[JsonObject]] = {}
    talks: list[tuple[int, JsonObject]] = []
    unused: dict[str, int] = {}
    for number, row in rows_of(path):
        if isinstance(row, Problem):
            left_out.append(str(row))
        elif isinstance(row.get(INPUT), list):
            talks.append((number, row))
        elif why := _unusable(row):
            left_out.append(f"{file}: row {number} {why}")
        else:
            args = {name: row[name] for name in FIELDS if _has(row, name, path.suffix == ".csv")}
            shapes.setdefault(tuple(args), []).append(args)
            for name in row.keys() - FIELDS:
                if row[name] not in (None, "", []):
                    unused[name] = unused.get(name, 0) + 1
    if len(talks) > MAX_TALKS:
        message = f"{file} has more than {MAX_TALKS:,} conversations: split it"
        raise UsageError(message, code="over_limit")
    names, notes, tests = Names(), dict.fromkeys([REPLAY]), list[ImportedTest]()
    for fields, rows in shapes.items():
        if any(set(fields).issuperset(metric.needs) for metric in METRICS.values()):
            tests.append(_test(path, names, rows, notes))
            if lacking := [n for n, m in METRICS.items() if not set(fields).issuperset(m.needs)]:
                absent = ", ".join(n for n in (RESPONSE, CONTEXTS, REFERENCE) if n not in fields)
                why = f"not judged by {', '.join(lacking)}"
                left_out.append(f"{file}: {amount(len(rows), 'row')} without {absent}: {why}")
        else:
            why = f"no metric that `evaluate` takes fits {', '.join(fields)}"
            left_out.append(f"{file}: {amount(len(rows), 'row')}: {why}")
    for name in sorted(unused):
        count = amount(unused[name], "row")
        left_out.append(f"{file}: the field {excerpt(name)} of {count}, and metrics that need it")
    for number, row in talks:
        talk = _talk(path, names, row)
        if isinstance(talk, str):
            left_out.append(f"{file}: row {number} {talk}")
        else:
            tests.append(talk)
    if not tests:
        left_out = left_out or ["no row"]
        message = f"{file} has no sample of ragas with `{INPUT}`: {left_out[0]}"
        raise UsageError(message, code="nothing_to_import")
    return Imported(tests, left_out, [*notes])


def _has(row: Mapping[str, JsonValue], name: str, is_csv: bool) -> bool:
    """Return whether a sample has a field: an empty answer is one, where CSV can't have left it
    out; empty contexts are none."""
    if name == RESPONSE and not is_csv:
        return row.get(name) is not None
    texts = row.get(name)
    return any(map(str.strip, map(str, texts))) if isinstance(texts, list) else texts not in ABSENT


def _unusable(row: Mapping[str, JsonValue]) -> str:
    """Return why a row is no sample of one turn; empty if it is one."""
    if INPUT not in row and "question" in row:
        names = ", ".join(f"`{old}` to `{new}`" for old, new in OLDER.items() if old in row)
        return f"has the columns of ragas before 0.2: rename {names}"
    if not isinstance(text := row.get(INPUT), str) or not text.strip():
        return f"has no text in `{INPUT}`"
    if text.lstrip().startswith(("[{", "[HumanMessage(")):
        return "is a conversation that CSV has as a text: save JSON lines (`to_jsonl`)"
    for name in (RESPONSE, REFERENCE):
        if not isinstance(row.get(name), str | None):
            return f"has no text in `{name}`"
    match row.get(CONTEXTS):
        case str() | None:
            return ""
        case list(texts) if all(isinstance(text, str) for text in texts):
            return ""
    return f"has no list of texts in `{CONTEXTS}`"


def _test(
    path: Path, names: Names, rows: Sequence[JsonObject], notes: dict[str, None]
) -> ImportedTest:
    """Return the test of samples that have the same fields."""
    fields = set(rows[0])
    if more := [name for name, metric in OTHERS.items() if fields.issuperset(metric.needs)]:
        notes[f"the fields also allow the checks {', '.join(more)} (docs/checks.md)"] = None
    document = _document(path, "Samples of ragas")
    document |= {
        "prompt": [{"role": "user", "content": f"{{{INPUT}}}"}],
        "prompt_parameters": [name for name in rows[0] if name != RESPONSE],
        "checks": [m.check for m in METRICS.values() if fields.issuperset(m.needs)],
    }
    files = {ANSWERED: lines_of([_line(row) for row in rows])}
    test = ImportedTest(names.new(path.stem, "samples"), document, files)
    return with_certificate(test, rows=len(rows))


def _line(row: JsonObject) -> JsonObject:
    args: JsonObject = {name: value for name, value in row.items() if name != RESPONSE}
    if RESPONSE not in row:
        return {"args": args}
    return {"args": args, "response": row[RESPONSE], "run_info": {"source": "ragas"}}


def _document(path: Path, about: str) -> dict[str, JsonValue]:
    source = source_of("ragas", path.resolve(), None, path.resolve().parent)
    return {"description": f"{about}.", "source": source}


def _talk(path: Path, names: Names, row: JsonObject) -> ImportedTest | str:
    """Return the test of a conversation, or why there is none."""
    messages = row[INPUT]
    goal = row.get(REFERENCE)
    if not isinstance(goal, str) or not goal.strip():
        return "is a conversation without `reference`, whose metrics lve hasn't"
    try:
        turns = [*_turns(messages if isinstance(messages, list) else [])]
    except ValueError as error:
        return f"is a conversation {error}"
    *before, (role, answer) = turns or [("", "")]
    if role != "assistant" or not any(role == "user" for role, _ in before):
        return "is a conversation that doesn't end in an answer"
    prompt = [{"role": role, "content": as_literal(text)} for role, text in before]
    document = _document(path, "A conversation of ragas")
    check = {"judge": TALK + as_literal(goal), "on": "transcript"}
    document |= {"prompt": prompt, "check": check}
    line: JsonObject = {"args": {}, "response": answer, "run_info": {"source": "ragas"}}
    test = ImportedTest(names.new(path.stem, "talk"), document, {ANSWERED: lines_of([line])})
    return with_certificate(test, rows=1)


def _turns(messages: Sequence[JsonValue]) -> Iterator[tuple[str, str]]:
    """Yield role and text of each message.

    Raises:
        ValueError: one is no text of a person or a model.
    """
    for message in islice(messages, MAX_TALKS):
        match message:
            case {"content": str(text), "type": str(kind), **more} if kind in _ROLES:
                if more.get("tool_calls"):
                    raise ValueError("with calls of tools")
                yield _ROLES[kind], text
            case {"type": str(kind)}:
                raise ValueError(f"with messages of the kind {listed([kind])}")
            case _:
                raise ValueError("with messages without `type` and `content`")
