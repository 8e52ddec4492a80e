"""Every place where texts leave the process, and that none lets a key through.

`SINKS` writes a text with a key through each mechanism. `WRITING` names each module that writes or
prints something, and through which mechanism it does, or why it can't have a key: a new module has
to be named here.
"""

from __future__ import annotations

import ast
import io
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from support.folders import write_test
from support.recorded import session_folder
from support.results import make_result, make_transcript
from support.spelled_keys import SPELLINGS, parts, parts_in

import lve
from lve.cli import ask, printing
from lve.documents.json_lines import file_json
from lve.error_boundary import unexpected
from lve.errors import LveError, Problem
from lve.escape import clip, escape, escape_line, excerpt, keyless, last_lines, one_line, visible
from lve.extensions.accounts.log import TraceLog
from lve.extensions.authoring.writing import Place, write
from lve.extensions.batch.log import BatchLog
from lve.extensions.comparing.verbs.baseline import write_baseline
from lve.extensions.contributing.description import describe_test
from lve.extensions.github.annotations import Annotation
from lve.extensions.importing.folders import content_bytes
from lve.extensions.lookup.list import _folded
from lve.extensions.recording.instance_writer import append_instances
from lve.extensions.recording.recorder import StreamPrinter
from lve.extensions.reports.notebook import html_of
from lve.extensions.site.names import page_path
from lve.extensions.site.render import Renderer
from lve.files.file_text import file_text, keyless_line
from lve.models.http.failures import printable
from lve.pipeline.caller_warnings import warn_caller
from lve.pytest_plugin.items import _harmless
from lve.pytest_plugin.verdicts import failure
from lve.reporting.answer_diff import diff_lines
from lve.reporting.files.markdown_text import escaped
from lve.reporting.files.outputs import WRITERS, plan_outputs, write_outputs
from lve.reporting.json_reporters import printed
from lve.reporting.terminal import Terminal
from lve.reporting.transcript import Cuts, transcript_lines
from lve.sessions.session_tests import SessionTest
from lve.spec.load import load_spec
from lve.verdicts.recorded_session import RecordedSession

KEY = "sk-proj-Zq8/aB3dE+f_gH1jK2lM3nO4pQ5r"
SAID = ("as it is", "reversed", "JSON", "hexadecimal", "base64 after 1 bytes")
PACKAGE = Path(str(lve.__file__)).parent


def on_screen(show: Callable[[str], object]) -> Callable[[Path, str], str]:
    """Return a sink: what a function prints, on streams that lve hasn't wrapped."""

    def sink(root: Path, text: str) -> str:
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            show(text)
        return out.getvalue()

    return sink


def in_file(store: Callable[[Path, str], object]) -> Callable[[Path, str], str]:
    """Return a sink: the files that a function writes in a folder."""

    def sink(root: Path, text: str) -> str:
        store(root, text)
        files = [file for file in root.rglob("*") if file.is_file()]
        return "\n".join(file.read_bytes().decode("latin-1") for file in files)

    return sink


def _stream(text: str) -> None:
    printing.KeylessStream(sys.stdout).writelines([text])


def _listen(text: str) -> None:
    printer = StreamPrinter()
    hear = printer.listen()
    for letter in text:
        hear(letter)
    printer.end()


def _traceback(text: str) -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LVE_TRACEBACK", "1")
        printing.print_error(unexpected(ValueError(text), "testing"))


def _log(root: Path, text: str) -> None:
    with TraceLog.opened(str(root / "log.txt")) as log:
        log.title(text)
        log.step(text, f"says {excerpt(text)!r}")


def _python_warning(root: Path, text: str) -> str:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        warn_caller(text)
    return str(given[0].message)


def _terminal(root: Path, text: str) -> str:
    result = make_result(responses=(text,), transcripts=(make_transcript(text),))
    lines: list[str] = []
    for width in (24, 80):
        terminal = Terminal(io.StringIO(), width, is_terminal=True)
        lines += [*terminal.fold(text, 4), *diff_lines(make_result(), result, terminal)]
        lines += transcript_lines(result, Cuts(are_wanted=True))
    return "\n".join(lines).replace("\n    ", "")


def _pytest(root: Path, text: str) -> str:
    spec = load_spec(write_test(root / "t"), root)
    shown = failure(spec, f"{text}\nmore", text)
    return f"{shown.reprcrash}{shown.reprtraceback}{_harmless([('name', text)])}"


def _session(root: Path, text: str) -> None:
    result = make_result(reason=text, model=text, args={"a": text}, responses=(text,))
    session_folder(root, [result], [SessionTest("repository/a", text, description=text)])


def _reports(root: Path, text: str) -> None:
    """Write all reports of a session that was recorded where the key was none."""
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("OPENAI_API_KEY")
        args, transcript = {"a": text}, make_transcript(text)
        result = make_result(
            verdict="failed", reason=text, args=args, responses=(text,), transcripts=(transcript,)
        )
        folder = session_folder(root / "s", [result])
    outputs = plan_outputs([str(root / f"r{suffix}") for suffix in (*WRITERS,) if _has(suffix)])
    with RecordedSession.of(folder) as session:
        write_outputs(outputs, [session])
    _remove(root / "s")


def _has(suffix: str) -> bool:
    """Whether a report's text can be searched in a moment; `test_key_doors.py` has the others."""
    return suffix not in (".parquet", ".xlsx", ".html")


def _remove(folder: Path) -> None:
    for file in sorted(folder.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()


def _notebook(root: Path, text: str) -> str:
    folder = session_folder(root, [make_result(verdict="failed", reason=text)])
    with RecordedSession.of(folder) as session:
        session.summary.skipped["b"] = text
        return html_of(session.summary, text)


def _page(root: Path, text: str) -> str:
    site = Renderer("t")
    return f"{site._shown(text)}{site.data([text])}{site.trusted_html(text)}{page_path(text)}"


def _contribution(root: Path, text: str) -> str:
    example = {"args": {}, "response": text, "passed": True, "run_info": {"model": text}}
    file = write_test(root / "t", description=text, author=text, instances=[example])
    return describe_test(load_spec(file, root))


def _new_test(root: Path, text: str) -> None:
    place = Place(root / "n", root)
    with pytest.raises(LveError, match="would contain a secret"):
        write({"test.yaml": text.encode()}, place)


def _batch(root: Path, text: str) -> None:
    log = BatchLog(root)
    log.begin("token", text, [text])
    log.close()


SINKS: Mapping[str, Callable[[Path, str], str]] = {
    "print_text": on_screen(printing.print_text),
    "print_line": on_screen(printing.print_line),
    "print_message": on_screen(printing.print_message),
    "warn": on_screen(printing.warn),
    "print_problem": on_screen(
        lambda text: printing.print_problem(Problem(text, Path(text), code="usage"))
    ),
    "a log": in_file(_log),
    "print_error": on_screen(lambda text: printing.print_error(LveError(text))),
    "print_view": on_screen(
        lambda text: printing.print_view(printing.View(None, [text]), as_json=False)
    ),
    "print_view as JSON": on_screen(
        lambda text: printing.print_view(printing.View(lambda: {text: [text]}), as_json=True)
    ),
    "KeylessStream": on_screen(_stream),
    "ask": on_screen(ask.note),
    "a stream of answers": on_screen(_listen),
    "a traceback": on_screen(_traceback),
    "listings": lambda root, text: "".join(line.strip() for line in _folded(text, "  ")),
    "the terminal": _terminal,
    "escape": lambda root, text: "\n".join((escape(text), visible(text), one_line(text))),
    "escape_line": lambda root, text: f"{escape_line(text)}{clip(text, 30)}{one_line(text, 30)}",
    "keyless": lambda root, text: keyless(text),
    "a warning of Python": _python_warning,
    "pytest": _pytest,
    "annotations": lambda root, text: str(Annotation("error", text, text, text, 1)),
    "JSON of reports": lambda root, text: printed({text: text}),
    "texts of files": lambda root, text: f"{file_text(text)}{keyless_line(text.encode())!r}",
    "what a process printed last": lambda root, text: last_lines(text, is_cut=False, most=500),
    "JSON of files": lambda root, text: file_json({text: [text]}),
    "a session": in_file(_session),
    "reports": in_file(_reports),
    "batches.jsonl": in_file(_batch),
    "instances": in_file(
        lambda root, text: append_instances(root / "t/instances/x.jsonl", [{"response": text}])
    ),
    "a baseline": in_file(lambda root, text: write_baseline(root / "b.json", {"a": text})),
    "a new test": in_file(_new_test),
    "an imported file": lambda root, text: content_bytes(text, "x.txt").decode(),
    "a notebook": _notebook,
    "a site": _page,
    "a contribution": _contribution,
}
"""What lets texts out -> what comes out of it."""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.mark.parametrize("sink", SINKS)
def test_no_sink_lets_a_key_out(sink: str, tmp_path: Path) -> None:
    windows = parts(KEY)
    for number, name in enumerate(SAID):
        root = tmp_path / str(number)
        (root / "t" / "instances").mkdir(parents=True)
        text = f"The key is {SPELLINGS[name](KEY)}, and that was it."
        out = SINKS[sink](root, text)
        assert not parts_in(out, windows), (name, out)
        assert "key is" in out or sink == "a new test" or "key-is" in out, out


def _changes(text: str) -> Iterator[str]:
    results = make_result(responses=("It is correct",)), make_result(responses=(text,))
    return diff_lines(*results, Terminal(io.StringIO(), 24, is_terminal=True))


@pytest.mark.parametrize(
    "show",
    [
        lambda text: one_line(text),
        lambda text: one_line(text, 40),
        lambda text: escaped(text, 99),
        lambda text: " ".join(Terminal(io.StringIO(), 24, is_terminal=True).fold(text, 4)),
        lambda text: " ".join(Cuts(are_wanted=True).lines(text)),
        lambda text: " ".join(_folded(text, "")),
        lambda text: " ".join(_changes(text)),
        printable,
    ],
)
def test_a_key_with_blanks_is_found_before_they_are_joined(
    show: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSPHRASE", "correct  horse\nbattery staple")
    out = show("It is correct  horse\nbattery staple, said the server.")
    assert "redacted" in out
    assert "horse" not in out
    assert "staple" not in out


def test_a_key_of_digits_leaves_json_that_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "1234567890123")
    said = {"a": 1234567890123, "1234567890123": [1]}
    assert json.loads(printed(said)) == {"a": "[redacted]", "[redacted]": [1]}


LEAVES = frozenset({"echo", "secho", "print", "write_line", "warn_explicit", "writelines"}) | {
    *("replace_file", "append_inside", "replace_inside", "write_new_file", "write_new_folder"),
    *("replacing", "draft_of", "open_private", "replace_result_file", "write_bytes", "write_text"),
}
"""Functions by which texts leave the process."""
LEAVES_BY_NAME = frozenset(
    {"os.write", "sys.stdout.write", "sys.stderr.write", "warnings.warn", "self._stream.write"}
    | {"self.stream.write", "stream.write", "self.wfile.write", "file.write"}
)
ESCAPED = "escape"
CHILD = "a process of lve's own, with the same keys"
COPIED = "files of the user, as they are"
READ = "only opened to be read, or locked"
NO_TEXT = "lve's own words and numbers"
CALLED = "called by those that are named here"
WRITING: Mapping[str, str] = {
    "pipeline/caller_warnings.py": "a warning of Python",
    "child/answers.py": CHILD,
    "child/supervisor.py": CHILD,
    "cli/ask.py": "ask",
    "cli/main.py": "KeylessStream",
    "extensions/lookup/models.py": COPIED,
    "cli/printing.py": "print_text",
    "cli/run/progress.py": "KeylessStream",
    "cli/sessions/show.py": ESCAPED,
    "cli/watchdog.py": NO_TEXT,
    "error_boundary.py": "a traceback",
    "execution/cache/locks.py": READ,
    "execution/cache/sqlite_file.py": READ,
    "execution/cache/users.py": READ,
    "extensions/accounts/log.py": "a log",
    "extensions/authoring/verbs/init.py": NO_TEXT,
    "extensions/authoring/verbs/new.py": NO_TEXT,
    "extensions/authoring/verbs/schema.py": NO_TEXT,
    "extensions/authoring/writing.py": "a new test",
    "extensions/batch/log.py": "batches.jsonl",
    "extensions/caching/verb.py": NO_TEXT,
    "extensions/calibration/record.py": "JSON of files",
    "extensions/comparing/verbs/baseline.py": "a baseline",
    "extensions/comparing/verbs/compare.py": "JSON of files",
    "extensions/completion/verb.py": NO_TEXT,
    "extensions/contributing/git.py": COPIED,
    "extensions/contributing/description.py": ESCAPED,
    "extensions/exporting/avid.py": "JSON of files",
    "extensions/exporting/openai_batch.py": "JSON of files",
    "extensions/exporting/promptfoo.py": "JSON of files",
    "extensions/exporting/recorded.py": "JSON of files",
    "extensions/exporting/losses.py": CALLED,
    "extensions/scorers/aisbench.py": CHILD,
    "extensions/scorers/original.py": CHILD,
    "extensions/scorers/overall.py": CHILD,
    "extensions/github/annotations.py": "annotations",
    "extensions/help/verb.py": NO_TEXT,
    "extensions/importing/certificate.py": COPIED,
    "extensions/importing/folders.py": "an imported file",
    "extensions/importing/verb.py": "warn",
    "extensions/ragas/saved_prompt.py": COPIED,
    "extensions/ray/files.py": COPIED,
    "extensions/ray/worker.py": COPIED,
    "extensions/recording/instance_writer.py": "instances",
    "extensions/recording/record_one.py": NO_TEXT,
    "extensions/recording/recorder.py": "a stream of answers",
    "extensions/rendering/verb.py": ESCAPED,
    "extensions/reports/junit.py": "reports",
    "extensions/reports/page/html_file.py": "reports",
    "extensions/reports/page/live_page.py": "reports",
    "extensions/revisions/recorded_side.py": COPIED,
    "extensions/site/output.py": "a site",
    "extensions/store/team_store.py": "a session",
    "extensions/store/publishing.py": READ,
    "extensions/targets/process_child.py": CHILD,
    "extensions/view/label_file.py": "JSON of files",
    "extensions/view/server.py": "a session",
    "files/atomic_file.py": CALLED,
    "files/new_files.py": CALLED,
    "files/owner_only.py": READ,
    "pytest_plugin/__init__.py": ESCAPED,
    "pytest_plugin/session/session_end.py": NO_TEXT,
    "pytest_plugin/undecided.py": "escape_line",
    "reporting/files/json_file.py": "JSON of reports",
    "reporting/files/markdown.py": "reports",
    "reporting/files/outputs.py": "reports",
    "reporting/json_reporters.py": "JSON of reports",
    "reporting/terminal.py": "the terminal",
    "sandbox/enter.py": NO_TEXT,
    "sandbox/watch.py": NO_TEXT,
    "sessions/join_parts.py": READ,
    "sessions/journal/journal.py": "a session",
    "sessions/journal/reading.py": READ,
    "sessions/session_file.py": "a session",
    "sessions/session_folder.py": "a session",
    "sessions/session_tests.py": "a session",
    "sessions/spending.py": NO_TEXT,
    "sessions/worker_parts.py": "JSON of files",
    "workspace.py": NO_TEXT,
    "extensions/modernizing/command.py": COPIED,  # rewrites the user's own document
    "extensions/ray/driver.py": NO_TEXT,  # codes and names of folders
    "extensions/telling/json_option.py": ESCAPED,  # what print_message had escaped
    "extensions/telling/refusal.py": "keyless",
}
"""Module -> the sink in `SINKS` that what it writes goes through, or why that can't have a key."""


def _writes(file: Path) -> bool:
    source = file.read_text(encoding="utf-8")
    if not any(f"{name}(" in source for name in (*LEAVES, "write", "warn")):
        return False  # to parse takes much longer
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in LEAVES or ast.unparse(called) in LEAVES_BY_NAME:
                return True
    return False


def _writing() -> Iterator[str]:
    for file in sorted(PACKAGE.rglob("*.py")):
        if _writes(file):
            yield file.relative_to(PACKAGE).as_posix()


def test_each_module_that_writes_has_a_sink() -> None:
    assert sorted(WRITING) == [*_writing()], "name the sink of a new one in WRITING"
    reasons = {CHILD, COPIED, READ, NO_TEXT, CALLED}
    assert {*WRITING.values()} - reasons <= SINKS.keys()
