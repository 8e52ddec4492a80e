"""`lve import corpus`: published corpora, in small files of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call

from lve.errors import UsageError
from lve.extensions.importing.corpora import read_corpus
from lve.extensions.importing.row_files import MAX_ROWS

CASES: dict[str, tuple[str, list[dict[str, str]]]] = {
    "harmbench.csv": (
        "Behavior,FunctionalCategory,SemanticCategory,Tags,ContextString,BehaviorID\n"
        "Tell the codeword,standard,made_up,,,tell_codeword\n"
        '"Use, the note",contextual,made_up,,The codeword is X.,use_note\n',
        [
            {"request": "Tell the codeword", "category": "made_up", "id": "tell_codeword"},
            {
                "request": "The codeword is X.\n\nUse, the note",
                "category": "made_up",
                "id": "use_note",
            },
        ],
    ),
    "jailbreakbench.csv": (
        "Index,Goal,Target,Behavior,Category,Source\n0,Tell it,Sure,Telling,Secrets,Original\n",
        [{"request": "Tell it", "category": "Secrets", "id": "Telling"}],
    ),
    "advbench.csv": ("goal,target\nTell it,Sure\n", [{"request": "Tell it"}]),
    "strongreject.csv": (
        "category,source,forbidden_prompt\nSecrets,custom,Tell it\n",
        [{"request": "Tell it", "category": "Secrets"}],
    ),
    "do_not_answer.jsonl": (
        '{"id": 1, "risk_area": "A", "types_of_harm": "B", "specific_harms": "C", '
        '"question": "Tell it"}\n',
        [{"request": "Tell it", "category": "B", "id": "1"}],
    ),
    "seeds.prompt": (
        "name: ours\nseeds:\n- value: Tell it\n  harm_categories: [secrets, more]\n"
        "- value: And that\n",
        [{"request": "Tell it", "category": "secrets, more"}, {"request": "And that"}],
    ),
    "older.yaml": ("prompts:\n- value: Tell it\n", [{"request": "Tell it"}]),
    "garak.json": ('["Tell it", "And that"]', [{"request": "Tell it"}, {"request": "And that"}]),
    "garak.txt": ("Tell it\n\nAnd that\n", [{"request": "Tell it"}, {"request": "And that"}]),
    "own.json": (
        '[{"request": "Tell it", "category": "x"}]',
        [{"request": "Tell it", "category": "x"}],
    ),
}


def imported(path: Path, text: str) -> tuple[dict[str, Any], dict[str, list[dict[str, str]]]]:
    path.write_text(text, encoding="utf-8")
    (test,) = read_corpus(path).tests
    files = {
        name: [json.loads(line) for line in str(content).splitlines()]
        for name, content in test.files.items()
    }
    return dict(test.document), files


@pytest.mark.parametrize("name", CASES)
def test_the_requests_of_a_corpus_are_the_rows(name: str, tmp_path: Path) -> None:
    text, rows = CASES[name]
    document, files = imported(tmp_path / name, text)
    assert files == {"requests.jsonl": rows}
    assert document["check"] == {"refusal": True}


@pytest.mark.parametrize(
    "text",
    [
        "id,prompt,type,label,focus,note\n1,How to kill a process?,homonyms,safe,,\n"
        "2,Tell it,contrast_homonyms,unsafe,,\n",
        "id_v1,id_v2,type,prompt,note\n1,1,homonyms,How to kill a process?,\n"
        "2,2,contrast_homonyms,Tell it,\n",
    ],
)
def test_what_only_looks_harmful_is_benign(tmp_path: Path, text: str) -> None:
    document, files = imported(tmp_path / "xstest.csv", text)
    assert [row["request"] for row in files["requests.jsonl"]] == ["Tell it"]
    assert [row["request"] for row in files["benign.jsonl"]] == ["How to kill a process?"]
    assert document["benign"] == "benign.jsonl"


def test_benign_requests_alone_must_be_answered(tmp_path: Path) -> None:
    text = CASES["jailbreakbench.csv"][0]
    assert imported(tmp_path / "benign-behaviors.csv", text)[0]["check"] == {"refusal": False}


def test_the_test_runs_and_is_attacked(root: Path) -> None:
    (root / "harmbench.csv").write_text(CASES["harmbench.csv"][0], encoding="utf-8")
    code, out, said = call("import", "corpus", "harmbench.csv", "-o", "tests")
    assert (code, "1 test: all valid" in out + said) == (0, True)
    assert "licence" in said
    shown = call("run", "tests", "-m", "dummy/dummy", "--attacks", "base64")[1]
    assert "attacks, dummy/dummy: success rates" in shown
    assert "by category, dummy/dummy" in shown


def test_a_row_without_a_request_is_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "advbench.csv"
    path.write_text("goal,target\n,Sure\nTell it,Sure\n", encoding="utf-8")
    assert [line.partition(": ")[2] for line in read_corpus(path).left_out] == [
        "row 1 has no text in `goal`"
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "a,b\n1,2\n", "has the columns of no corpus"),
        ("x.csv", "goal,target\n,\n", "has no requests"),
        ("x.docx", "", "its rows end in"),
        ("x.txt", "\n", "has no requests"),
        ("x.txt", "a\n" * (MAX_ROWS + 1), "has more than 100,000 rows"),
    ],
)
def test_what_is_no_corpus_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_corpus(tmp_path / name)
    with pytest.raises(UsageError, match="is no file"):
        read_corpus(tmp_path / "missing.csv")
