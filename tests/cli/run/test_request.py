"""What the options of `lve run` mean together."""

from __future__ import annotations

import click
import pytest
from support.command_line import lve

from lve.cli.main import cli
from lve.cli.run.command import run
from lve.cli.run.command_options import RunRequest


def read(line: str) -> RunRequest:
    # click keeps the first help option that a command is asked for: it has to be that of `lve`.
    parent = click.Context(cli, **cli.context_settings)
    with run.make_context("run", line.split(), parent=parent) as ctx:
        return RunRequest.read(ctx.params)


@pytest.mark.parametrize(
    ("line", "session", "retries", "only_errors"),
    [
        ("t", None, False, False),
        ("--resume", "last", False, False),
        ("--resume s1", "s1", False, False),
        ("--retry-errors s1", "s1", True, True),
        ("--resume s1 --retry-errors s1", "s1", True, False),
        ("--resume s1 --retry-errors", "s1", True, False),
        ("--resume --retry-errors", "last", True, False),
    ],
)
def test_which_session_goes_on_and_with_what(
    line: str, session: str | None, retries: bool, only_errors: bool
) -> None:
    request = read(line)
    assert request.resume == session
    assert (request.retry_errors, request.only_errors) == (retries, only_errors)


@pytest.mark.parametrize(
    ("line", "paths", "given"),
    [
        ("--ray t", ("t",), {"ray": "local"}),
        ("--ray ray://head:10001 t", ("t",), {"ray": "ray://head:10001"}),
        ("--ray=head:6379 t", ("t",), {"ray": "head:6379"}),
        ("--ray off t", ("t",), {"ray": "off"}),
        ("--fail-fast t", ("t",), {"fail_fast": 1}),
        ("--fail-fast 3 t", ("t",), {"fail_fast": 3}),
    ],
)
def test_a_value_may_be_left_out_before_a_path(
    line: str, paths: tuple[str, ...], given: dict[str, object]
) -> None:
    request = read(line)
    assert (request.paths, dict(request.fields)) == (paths, given)


def test_help_names_the_value_that_may_be_left_out() -> None:
    shown = " ".join(lve("run", "--help").output.split())
    assert "ADDRESS is local if left out." in shown
    assert "N is 1 if left out." in shown


@pytest.mark.parametrize(
    "line",
    [
        "--resume s1 --retry-errors s2",
        "--resume --retry-errors s2",
        "--resume --last-failed",
        "--retry-errors --last-failed",
        "--resume --failed-in s1",
        "--last-failed --failed-in s1",
        "--watch --resume",
        "--watch --json",
        "--dry-run --resume",
        "--dry-run --retry-errors",
        "--dry-run --last-failed",
        "--no-cache --refresh",
        "--json --jsonl",
        "--quiet --verbose",
    ],
)
def test_contradictions_are_refused(line: str) -> None:
    with pytest.raises(click.UsageError):
        read(line)


def test_what_is_given_and_nothing_else_is_an_option_of_the_run() -> None:
    request = read("a b --model m --repeats 3 --jsonl --allow-inconclusive")
    assert request.paths == ("a", "b")
    assert request.fields == {"models": ("m",), "repeats": 3, "allow_inconclusive": True}
    assert (request.format, request.dry_run) == ("jsonl", False)
