"""Which args of results are parameters: the inputs that reports show in columns of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from lve.model_arg_names import KNOWN_MODEL_ARGS
from lve.sessions.session_tests import SessionTest
from lve.verdicts.recorded import RecordedSession

FIRST_ROWS = 20
"""Results of a test without `prompt_parameters` whose columns a table has."""


def parameters_in(args: Mapping[str, object], test: SessionTest) -> Sequence[str]:
    """Return which args of a result are parameters. If the test has no `prompt_parameters`, these
    are all but known model args, as for a row of a data set."""
    if test.parameters:
        return [name for name in test.parameters if name in args]
    return [name for name in args if name not in KNOWN_MODEL_ARGS]


def parameters_of(sessions: Iterable[RecordedSession]) -> Iterable[str]:
    """Return the parameters of the tests of sessions, in their order, each once."""
    names, looked_at = dict[str, None](), set[tuple[str, str]]()
    for session in sessions:
        for pair, test in sorted(session.tests.items()):
            names.update(dict.fromkeys(test.parameters))
            if not test.parameters and (place := (session.id, test.test)) not in looked_at:
                looked_at.add(place)
                for result in islice(session.results(pair), FIRST_ROWS):
                    names.update(dict.fromkeys(parameters_in(result.args, test)))
    return names
