"""Hostile tests of other tools: what runs in the box, and what is only read, achieves nothing.

Everything ends in time with one sentence, nothing outside is written, read or asked, and the same
command still imports what is good.
"""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from support.boxed import boxed, tool_in
from support.command_line import call, lve
from support.evals_package import install_evals
from support.folders import workspace
from support.lm_eval_dump import imported, recorded_lines
from support.promptfoo_package import install_promptfoo, needs_node
from support.server import model_server

from lve.errors import LveError
from lve.extensions.importing import groups as groups_of_tests
from lve.extensions.importing.boxes import box
from lve.extensions.importing.boxes.box import BoxError, Tool
from lve.extensions.importing.folders import write_tests
from lve.sandbox.layers import missing

SOON_S = 60.0
needs_sandbox = pytest.mark.skipif(bool(missing()), reason="this machine has no whole sandbox")


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    return tool_in(tmp_path, monkeypatch)


def said_of(tool: Tool, folder: Path, program: str, *, timeout_s: float = 8.0) -> str:
    """Return why a program's lines aren't used, in bounded time."""
    begun = time.monotonic()
    with pytest.raises(BoxError) as caught:
        list(boxed(tool, folder, program, timeout_s=timeout_s))
    assert time.monotonic() - begun < SOON_S
    return str(caught.value)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("while True: pass", "took longer than"),
        ("import re; re.match('(a+)+$', 'a' * 60 + 'b')", "took longer than"),
        ("def f(): f()\nf()", "exit code 1"),
        ("x = []\nwhile True: x.append('x' * 10**8)", "exit code|signal|memory|took longer"),
        ("pipe.write(b'x' * 10**8); pipe.flush()", "more than 4 MB"),
        ("write('[' * 10**6)", "levels deep|no valid JSON|values"),
        ("write('{\"a\": [' + '1,' * 10**6 + '1]}')", "more than 50,000 values"),
        ('write(\'{"a": 1, "a": 2}\')', "no valid JSON"),
        ("write('{\"a\": NaN}')", "no valid JSON"),
        ("write('{\"a\": ' + '9' * 5000 + '}')", "no valid JSON"),
        ("write('[1]')", "no JSON object"),
        ("pipe.write(b'\\xff\\xfe\\n'); pipe.flush()", "a line that isn't its own"),
        ('pipe.write(b\'{"kind": "end"}\\n\'); pipe.flush()', "a line that isn't its own"),
        ("os.kill(os.getpid(), 9)", "exit code -9"),
        ("os.kill(os.getppid(), 9)\nimport time\ntime.sleep(99)", "signal|took longer|exit code"),
    ],
)
@needs_sandbox
def test_a_hostile_program_ends_with_a_sentence(
    tool: Tool, tmp_path: Path, program: str, why: str
) -> None:
    said = said_of(tool, tmp_path / "source", program)
    assert any(part in said for part in why.split("|")), said


@needs_sandbox
def test_lines_without_end_are_stopped(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box, "MAX_BYTES", 20_000_000)
    program = "while True: write(json.dumps({'a': 'x' * 10**6}))"
    assert "wrote more than 20 MB" in said_of(tool, tmp_path / "source", program, timeout_s=30)


@needs_sandbox
def test_nothing_outside_is_written_read_or_asked(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    source = tmp_path / "source"
    source.mkdir()
    (source / "link").symlink_to(tmp_path / "secret.txt")
    with model_server("trapped") as server:
        program = f"""
import socket, subprocess, urllib.request
def tried(do):
    try:
        return str(do())
    except BaseException as error:
        return type(error).__name__
write(json.dumps({{
    "written": tried(lambda: open({str(tmp_path / "out")!r}, "w")),
    "beside": tried(lambda: open("made.txt", "w")),
    "removed": tried(lambda: os.remove("link")),
    "read": tried(lambda: open({str(tmp_path / "secret.txt")!r}).read()),
    "linked": tried(lambda: open("link").read()),
    "asked": tried(lambda: urllib.request.urlopen("http://127.0.0.1:{server.port}/")),
    "socket": tried(lambda: socket.socket()),
    "shell": tried(lambda: subprocess.run(["sh", "-c", "echo x > {tmp_path}/shell"]).returncode),
}}))
"""
        [line] = boxed(tool, source, program)
        assert server.requests == []
    assert "secret" not in line.values()
    assert line["read"] == line["linked"] == "PermissionError"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("requirements.txt", "secret.txt", "source", "tools"),
    ]
    assert os.listdir(source) == ["link"]  # noqa: PTH208


@needs_sandbox
def test_what_it_forks_ends_with_it(tool: Tool, tmp_path: Path) -> None:
    program = """
import time
if os.fork() == 0:
    os.setsid()
    while True:
        time.sleep(0.1)
write(json.dumps({"pid": os.getpid()}))
os._exit(0)
"""
    begun = time.monotonic()
    try:
        lines = list(boxed(tool, tmp_path / "source", program, timeout_s=8))
    except BoxError:
        lines = []
    assert time.monotonic() - begun < SOON_S
    assert len(lines) <= 1
    left = [
        path
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if str(tool.folder).encode() in _content(path)
    ]
    assert left == []


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize(
    "name", ["../../out", "/etc/x", "..", ".git", "instances", "\u202e", "a" * 900]
)
def test_a_forged_name_stays_inside(name: str, tmp_path: Path) -> None:
    lines = recorded_lines()
    for line in lines:
        if line.get("task") == "sums":
            line["task"] = name
            line["file"] = name
    write_tests(imported(lines).tests, tmp_path / "made")
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    for path in (tmp_path / "made").rglob("*"):
        assert path.name in ("rows.jsonl", "test.json", "import.json") or path.is_dir()
        assert path.name != "instances"


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(97 + n)}: &{chr(97 + n)} [{', '.join([f'*{chr(96 + n)}'] * 9)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize("kind", ["promptfoo", "openai-evals"])
@pytest.mark.parametrize(
    "content",
    [
        BOMB,
        "prompts: &p [*p]\n",
        "prompts: " + "[" * 5_000 + "]" * 5_000,
        "prompts: [file:///etc/passwd]\ntests: [{assert: [{type: equals, value: x}]}]\n",
        "prompts: [file://../secret.txt]\ntests: [{assert: [{type: equals, value: x}]}]\n",
        "prompts: !!python/object/apply:os.system [touch out]\n",
    ],
    ids=["bomb", "itself", "deep", "absolute", "above", "python"],
)
def test_a_hostile_configuration_is_refused_in_time(
    kind: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.txt").write_text("secret text")
    monkeypatch.chdir(workspace(tmp_path / "w"))
    registry = Path("registry")
    (registry / "evals").mkdir(parents=True)
    (registry / "data").mkdir()
    (registry / "evals" / "x.yaml").write_text(content)
    Path("promptfooconfig.yaml").write_text(content)
    source = {"promptfoo": "promptfooconfig.yaml", "openai-evals": "registry"}[kind]
    begun = time.monotonic()
    try:
        code, out, err = call("import", kind, source, "-o", "made")
    except LveError as error:
        code, out, err = 2, "", str(error)
    assert time.monotonic() - begun < SOON_S
    assert code == 2
    assert "Traceback" not in out + err
    assert "secret text" not in out + err
    assert "root:" not in out + err
    assert not Path("made").exists()
    assert not Path("out").exists()


ROWS: tuple[tuple[str, str], ...] = (
    ("x.yaml", BOMB),
    ("x.yaml", "- &a {question: x, user_input: *a}\n"),
    ("x.yaml", "- !!python/object/apply:os.system [touch out]\n"),
    ("x.json", "[" * 100_000),
    ("x.json", '[{"question": "x", "user_input": "x", "response": ' + "9" * 5_000 + "}]"),
    ("x.jsonl", '{"question": "x", "user_input": ' + '"' + "x" * 17_000_000 + '"}'),
    ("x.jsonl", '{"user_input": ' + "[" * 900 + "]" * 900 + ', "reference": "x"}'),
    ("x.jsonl", '{"user_input": [{"type": "\\u001b[31m", "content": 1}], "reference": "x"}'),
    ("x.jsonl", '{"\\u001b[31m{x.__class__}": "{0.__class__}", "answer": "{x!r:>999999999}"}'),
    ("x.jsonl", '{"user_input": "{x!r:>999999999}", "response": "{0}"}'),
    ("x.csv", "question,user_input\n\0,\x1b[31m\n"),
)


@pytest.mark.parametrize("kind", ["dataset", "ragas"])
@pytest.mark.parametrize(("name", "content"), ROWS, ids=range(len(ROWS)))
def test_hostile_rows_end_in_time(
    kind: str, name: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    Path(name).write_text(content)
    begun = time.monotonic()
    result = lve("import", kind, name, "-o", "made", code=None)
    assert time.monotonic() - begun < SOON_S
    assert result.exit_code in (0, 2)
    assert result.exception is None or isinstance(result.exception, LveError | SystemExit)
    assert "Traceback" not in result.output
    assert "\x1b[31m" not in result.output
    assert len(result.output) < 5_000
    assert not Path("out").exists()


@pytest.mark.parametrize("kind", ["deep", "link", "pipe", "huge", "pattern", "words"])
def test_a_hostile_run_of_helm_ends_in_time(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.json").write_text('{"adapter_spec": {"method": "secret text"}}')
    monkeypatch.chdir(workspace(tmp_path / "w"))
    Path("run").mkdir()
    names = ["exact_match", "\x1b[31m", "../../out", "f1_score"]
    spec = {"name": "../../\x1b[31m{x!r:>999999999}", "metric_specs": [{"args": {"names": names}}]}
    Path("run/run_spec.json").write_text(json.dumps(spec))
    state = Path("run/scenario_state.json")
    text = "{x.__class__} {0!r:>999999999} \x1b[31m"
    request = {
        "instance": {"references": [{"output": {"text": text}, "tags": ["correct"]}]},
        "request": {"prompt": text},
        "output_mapping": {"A": text} if kind == "pattern" else None,
        "result": {"completions": [{"text": "A" * 60 + "!" if kind == "pattern" else text}]},
    }
    adapter = {"method": "generation", "output_mapping_pattern": "(?:A+)+$"}
    if kind == "link":
        state.symlink_to(tmp_path / "secret.json")
    elif kind == "pipe":
        os.mkfifo(state)
    elif kind == "huge":
        with state.open("wb") as file:
            file.truncate(10**12)
    elif kind == "deep":
        state.write_text("[" * 10**6)
    else:
        state.write_text(json.dumps({"adapter_spec": adapter, "request_states": [request]}))
    begun = time.monotonic()
    result = lve("import", "helm", "run", "-o", "made", code=None)
    said = result.output
    if Path("made").exists():
        said += lve("run", "made", "--model", "replay", code=None).output
    assert time.monotonic() - begun < SOON_S
    assert Path("made").exists() == (kind in ("pattern", "words"))
    assert "Traceback" not in said
    assert "\x1b[31m" not in said
    assert "secret text" not in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["dataset", "ragas"])
def test_rows_that_are_no_file_inside_are_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.jsonl").write_text('{"question": "secret text", "user_input": "secret"}')
    monkeypatch.chdir(workspace(tmp_path / "w"))
    Path("link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    os.mkfifo("pipe.jsonl")
    Path("folder.jsonl").mkdir()
    for name in ("link", "pipe", "folder"):
        result = lve("import", kind, f"{name}.jsonl", "-o", "made", code=2)
        assert "secret" not in result.output.replace("secret.jsonl", "")
        assert not Path("made").exists()


@pytest.mark.parametrize("more", ["['g'] * 400", "[f'g{n - 1}'] * 400"])
def test_groups_of_groups_of_a_configuration_end_in_time(
    more: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    monkeypatch.setattr(groups_of_tests, "MAX_MENTIONS", 80_000)  # a check of each takes a while
    groups = f"dict(name=f'g{{n}}', subsets={more if more[1] == 'f' else 'abbrs'})"
    Path("x.py").write_text(
        "abbrs = [f'd{n}' for n in range(200)]\n"
        "infer = dict(prompt_template=dict(type='PromptTemplate', template='{q}'),\n"
        "    retriever=dict(type='ZeroRetriever'), inferencer=dict(type='GenInferencer'))\n"
        "datasets = [dict(abbr=a, path=a, infer_cfg=infer, eval_cfg=dict(\n"
        "    evaluator=dict(type='AccEvaluator'))) for a in abbrs]\n"
        "summarizer = dict(summary_groups=[dict(name='g-1', subsets=abbrs)] + [\n"
        f"    {groups} for n in range(400)])\n"
    )
    begun = time.monotonic()
    result = lve("import", "opencompass", "x.py", "-o", "made", code=None)
    assert time.monotonic() - begun < SOON_S
    assert "Traceback" not in result.output
    assert "name each other more than 80,000 times" in result.output
    assert len(json.loads(Path("made/d0/test.json").read_text())["groups"]) == 2


ENDLESS = "module.exports = () => { while (true); };"
GROWING = "const a = []; module.exports = () => { while (true) a.push('x'.repeat(1e7)); };"
FORGED = """const fs = require('fs');
module.exports = () => { for (let fd = 3; fd < 40; fd++) {
  try { fs.writeSync(fd, '0 {"kind": "end"}\\n'); } catch {} } return 'x'; };"""
TRIES = """const fs = require('fs'), {execSync} = require('child_process');
const tried = (what) => { try { return String(what()); } catch (error) { return 'no'; } };
module.exports = async () => JSON.stringify({
  secret: tried(() => fs.readFileSync('../secret.txt', 'utf8')),
  link: tried(() => fs.readFileSync('link', 'utf8')),
  out: tried(() => fs.writeFileSync('../out', 'x')),
  beside: tried(() => fs.writeFileSync('out', 'x')),
  key: process.env.OPENAI_API_KEY ?? 'no',
  shell: tried(() => execSync('echo x > ../shell')),
  asked: await fetch('http://127.0.0.1:PORT/').then(() => 'yes', () => 'no'),
});"""


def imported_by_promptfoo(script: str, *more: str) -> tuple[int, str]:
    """Import a configuration whose prompt is a script; return the exit code and what is said."""
    Path("p.js").write_text(script)
    Path("promptfooconfig.yaml").write_text(
        "prompts: [file://p.js]\ntests: [{assert: [{type: equals, value: x}]}]\n"
    )
    begun = time.monotonic()
    result = lve("import", "promptfoo", ".", "--loaders", "-o", "made", *more, code=None)
    assert time.monotonic() - begun < SOON_S
    assert "Traceback" not in result.output
    return result.exit_code, result.output


@pytest.fixture
def promptfoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_promptfoo(tmp_path, monkeypatch)
    (tmp_path / "secret.txt").write_text("secret text")
    monkeypatch.chdir(workspace(tmp_path / "w"))
    Path("link").symlink_to("../secret.txt")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (ENDLESS, "took longer than"),
        (GROWING, "exit code|signal|memory|took longer"),
        (FORGED, "a line that isn't its own"),
        ("process.kill(process.pid, 'SIGKILL');", "exit code -9"),
        ("process.kill(process.ppid, 'SIGKILL');", "signal|exit code|took longer|ended"),
        ("process.exit(0);", "ended without an end"),
        ("throw Error('\\u001b[31m' + 'x'.repeat(1e6));", "refuses it"),
        ("module.exports = () => 'x'.repeat(5e6);", "more than 4 MB"),
        ("module.exports = () => { const a = []; a.push(a); return a; };", "no prompt of it"),
        ("module.exports = () => '['.repeat(1e5) + ']'.repeat(1e5);", ""),
        ("module.exports = ({vars}) => { vars.__proto__.x = 1; return {role: 'system'}; };", ""),
        ("module.exports = () => ({prompt: 'x', config: {api_key: '{{x}}'}});", "sets api_key"),
    ],
)
@needs_sandbox
@needs_node
@pytest.mark.usefixtures("promptfoo")
def test_a_hostile_script_of_promptfoo_ends_with_a_sentence(script: str, why: str) -> None:
    _, said = imported_by_promptfoo(script, "--timeout", "8")
    assert any(part in " ".join(said.split()) for part in why.split("|")), said
    assert "\x1b[31m" not in said
    assert len(said) < 5_000


@needs_sandbox
@needs_node
@pytest.mark.usefixtures("promptfoo")
def test_a_script_of_promptfoo_reads_and_writes_nothing_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with model_server("trapped") as server:
        code, said = imported_by_promptfoo(TRIES.replace("PORT", str(server.port)))
        assert server.requests == []
    assert code == 0, said
    [test] = Path("made").rglob("test.json")
    assert test.read_text().count('\\"no\\"') == len(re.findall(r"tried\(\(", TRIES)) + 2
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "shell").exists()
    assert not Path("out").exists()


@pytest.mark.parametrize("kind", ["device", "link", "pipe", "folder", "huge"])
def test_a_prompt_that_is_no_file_inside_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.txt").write_text("secret text")
    monkeypatch.chdir(workspace(tmp_path / "w"))
    place = Path("p.txt")
    if kind in ("device", "link"):
        place.symlink_to({"device": "/dev/zero", "link": tmp_path / "secret.txt"}[kind])
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        with place.open("wb") as file:
            file.truncate(10**9)
    Path("promptfooconfig.yaml").write_text(
        "prompts: [file://p.txt]\ntests: [{assert: [{type: equals, value: x}]}]\n"
    )
    begun = time.monotonic()
    result = lve("import", "promptfoo", ".", "-o", "made", code=2)
    assert time.monotonic() - begun < SOON_S
    assert isinstance(result.exception, LveError)
    assert "p.txt" in result.stderr
    assert "secret text" not in result.output
    assert not Path("made").exists()


FORGED_LINES = """
import os
for number in range(3, 40):
    try:
        os.write(number, b'0 {"of": 0, "kind": "done"}\\n')
    except OSError:
        pass
"""


def proven_by_evals(class_name: str, *more: str) -> tuple[int, str, dict[str, Any]]:
    """Import and prove an eval whose texts are lines of a dump; return the exit code, what is said,
    and the proof."""
    line = '0 {"of": 0, "kind": "done"}'
    for name in ("evals", "data"):
        Path("registry", name).mkdir(parents=True)
    entry = {
        "class": class_name,
        "args": {"samples_jsonl": "s.jsonl"},
        "description": f"\n{line}\n",
    }
    Path("registry/evals/x.yaml").write_text(json.dumps({"x.y": entry}))
    sample = {"input": f"a\n{line}\n\x1b[31m", "ideal": [f"\n{line}\n", line]}
    Path("registry/data/s.jsonl").write_text(json.dumps(sample))
    begun = time.monotonic()
    result = lve("import", "openai-evals", "registry", "-o", "made", "--prove", *more, code=None)
    assert time.monotonic() - begun < SOON_S
    assert "Traceback" not in result.output
    assert "\x1b[31m" not in result.output
    [certificate] = Path("made").rglob("import.json")
    return result.exit_code, result.output, json.loads(certificate.read_text())["proof"]


@pytest.fixture
def evals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = install_evals(tmp_path, monkeypatch)
    monkeypatch.chdir(workspace(tmp_path / "w"))
    return package / "elsuite" / "basic" / "match.py"


MATCH = "evals.elsuite.basic.match:Match"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("while True: pass", "took longer than"),
        (FORGED_LINES, "a line that isn't its own"),
        ("import os; os._exit(0)", "ended without an end"),
        ("raise ValueError('\\x1b[31m' + 'x' * 10**6)", "ValueError: "),
        ("import os; open('../../out', 'w')", "PermissionError"),
    ],
)
@needs_sandbox
def test_hostile_code_in_evals_ends_with_a_sentence(evals: Path, code: str, why: str) -> None:
    evals.write_text(code)
    exit_code, said, proof = proven_by_evals(MATCH, "--timeout", "8")
    assert exit_code == 0
    assert why in " ".join(said.split())
    assert (proof["scores"], proof["differences"]) == (0, [])
    assert why in proof["not_compared_because"]
    assert len(said) < 5_000


@needs_sandbox
@pytest.mark.usefixtures("evals")
def test_an_eval_that_looks_like_lines_of_a_dump_is_data() -> None:
    exit_code, said, proof = proven_by_evals(MATCH)
    assert exit_code == 0, said
    assert proof["prompts"] == 1
    assert proof["scores"] > 10
    assert proof["differences"] == []


@needs_sandbox
@pytest.mark.usefixtures("evals")
def test_a_class_of_another_module_that_prints_is_told() -> None:
    exit_code, said, proof = proven_by_evals("this:Match")
    assert exit_code == 0
    assert "Beautiful is better" not in said
    assert "has no attribute 'Match'" in proof["not_compared_because"]
