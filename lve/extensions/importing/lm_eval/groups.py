"""Groups of tasks of lm-evaluation-harness: the key `groups` of their tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lve.escape import excerpt, listed
from lve.extensions.importing.groups import GroupScore
from lve.extensions.importing.lm_eval.records import MAX_NAME, NoCounterpartError, Task, TaskGroup
from lve.json_types import JsonObject

NO_FILTER = "none"
"""What the harness calls the filter of a task that has none."""


Members = Mapping[tuple[str, str], tuple[str, str]]
"""Task, and metric and filter as tests are named -> folder of a test that has all rows of the
task, and what counts of it."""


def scores_of(
    group: TaskGroup, tasks: Mapping[str, Task], members: Members
) -> Iterator[GroupScore | NoCounterpartError]:
    """Yield the scores of a group, and which of them can't be carried.

    The harness takes those of its tasks that have the metric after the filter
    (`lm_eval.api.group.Group.aggregate`).

    Args:
        group: the group.
        tasks: the tasks that were read, by name.
        members: the tests.
    """
    own = [tasks[name] for name in group.tasks if name in tasks]
    every = sorted({chain for task in own for chain in _filters(task)})
    for metric, filters, is_by_size in group.metrics:
        for chain in every if filters is None else filters:
            shown = metric if chain == NO_FILTER else f"{metric},{chain}"
            try:
                tests = dict(_tests(group, (metric, chain), tasks, members))
            except NoCounterpartError as error:
                yield NoCounterpartError(f"the score {excerpt(shown)}: {error}")
                continue
            if tests:
                form: JsonObject = {} if is_by_size else {"by_size": False}
                yield GroupScore(group.name, shown, tests, form)


def _filters(task: Task) -> Sequence[str]:
    return [chain.name for chain in task.chains] or [NO_FILTER]


def _tests(
    group: TaskGroup, of: tuple[str, str], tasks: Mapping[str, Task], members: Members
) -> Iterator[tuple[str, str]]:
    metric, chain = of
    if gone := [name for name in group.tasks if name not in tasks]:
        raise NoCounterpartError(f"not all its tasks can be had: {listed(gone)}")
    if len(metric) + len(chain) >= MAX_NAME:
        raise NoCounterpartError(f"its name has more than {MAX_NAME} characters")
    key = metric if chain == NO_FILTER else f"{metric}_{chain}"
    for name in group.tasks:
        if all(own.name != metric for own in tasks[name].metrics):
            continue
        if chain in _filters(tasks[name]):
            if (name, key) not in members:
                why = f"no test has it of all rows of the task {excerpt(name)}"
                raise NoCounterpartError(why)
            yield members[name, key]
