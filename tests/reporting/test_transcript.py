"""How conversations are shown: whole in a pipe, cut on a screen."""

from __future__ import annotations

import io
from dataclasses import replace

from reporting.reports import MIXED, FakeTerminal, play, report
from support.results import make_result, make_transcript

from lve.messages import Message, Transcript
from lve.reporting.terminal import Terminal
from lve.reporting.text import TextReporter
from lve.reporting.transcript import Cuts


def test_long_transcripts_are_whole_in_a_pipe_and_cut_on_a_screen() -> None:
    wide, tall = "w" * 999 + "END", "line\n" * 99 + "LAST"
    failed = [
        make_result(line=n, verdict="failed", transcripts=(make_transcript(answer),))
        for n, answer in enumerate((wide, tall), 1)
    ]
    whole = report("text", failed, detail="verbose")
    assert wide in whole
    assert whole.count("        line\n") == 99
    assert "LAST" in whole
    assert "cut" not in whole
    screen = FakeTerminal()
    play(TextReporter(Terminal.of(screen, {"NO_COLOR": "1"}), detail="verbose"), failed)
    cut = screen.getvalue()
    assert f"{'w' * 400}… (602 more characters)\n" in cut
    assert "… (299 more characters)\n" in cut
    assert cut.count("        line\n") == 40
    assert cut.endswith(
        "transcripts are shortened here; all of them: "
        "lve show 20261121-120000-000-abcd --failures | less\n"
    )


def test_what_the_model_thought_is_shown_before_its_answer_escaped() -> None:
    transcript = make_transcript("an answer")
    thought = replace(transcript.completions[0], reasoning="first\x1b[2J\nthen")
    failed = make_result(
        verdict="failed", transcripts=(replace(transcript, completions=(thought,)),)
    )
    text = report("text", [failed], detail="verbose")
    told = "[assistant] (reasoning, not judged)\n        first\\x1b[2J\n        then\n"
    assert told in text
    assert text.index(told) < text.index("[assistant] (answer)\n        an answer")


def test_what_an_application_returned_is_shown_after_its_answer() -> None:
    transcript = make_transcript("an answer")
    returned = replace(
        transcript.completions[0],
        contexts=("page\x1b[2J", "b"),
        metadata={"route": "billing"},
        cost=0.25,
    )
    failed = make_result(
        verdict="failed", transcripts=(replace(transcript, completions=(returned,)),)
    )
    text = report("text", [failed], detail="verbose")
    after = text.partition("[assistant] (answer)\n        an answer\n")[2]
    lines = [line.strip() for line in after.splitlines()][:8]
    assert lines == [
        *("[context 1 of 2]", "page\\x1b[2J", "[context 2 of 2]", "b"),
        *("[metadata]", '{"route": "billing"}', "[cost]", "$0.25"),
    ]


class CountedStream(io.StringIO):
    writes = 0

    def write(self, text: str) -> int:
        self.writes += 1
        return super().write(text)


def test_an_answer_of_many_lines_is_written_many_lines_at_once() -> None:
    stream = CountedStream()
    failed = make_result(verdict="failed", transcripts=(make_transcript("\n" * 50_000),))
    play(TextReporter(Terminal.of(stream), detail="verbose"), [failed])
    assert stream.getvalue().count("\n") > 50_000
    assert stream.writes < 200


def test_nothing_is_said_of_cuts_where_nothing_was_cut() -> None:
    screen = FakeTerminal()
    play(TextReporter(Terminal.of(screen), detail="verbose"), MIXED)
    assert "cut" not in screen.getvalue()


def test_an_image_that_is_its_own_url_is_cut_everywhere() -> None:
    question = Message("look", image_url="data:image/png;base64," + "A" * 5000)
    link = Message("look", image_url="https://example.org/" + "a" * 100)
    failed = make_result(verdict="failed", transcripts=(Transcript((question, link)),))
    text = report("text", [failed], detail="verbose")
    assert f"(image data:image/png;base64,{'A' * 58}… (4,942 more characters))\n" in text
    assert f"(image https://example.org/{'a' * 100})\n" in text


def test_a_line_in_a_file_is_not_longer_than_a_log_bears() -> None:
    cuts = Cuts(are_wanted=False)
    assert [*cuts.lines("x" * 100_000)] == ["x" * 100_000]
    (line,) = cuts.lines("x" * 8_000_000)
    assert "(7,900,000 more characters)" in line
    assert len(line) < 100_100
