"""Asks models that have roles for commands that run no tests: `lve score`, `lve check`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.examples import all_example_problems, text_checkers
from lve.checkers.judge import Judge
from lve.checkers.questions import Answer, Question
from lve.checkers.resolve import resolve_with
from lve.errors import Problem
from lve.options.run_options import RunOptions
from lve.pipeline.engine import Engine
from lve.pipeline.roles.asking import judged_here
from lve.pipeline.roles.roles import no_model, roles_of
from lve.spec.spec import Spec
from lve.workspace import Workspace

Result = TypeVar("Result")


class RoleSession:
    """An engine, with an event loop of its own, that asks models on behalf of checkers.

    It is an `Answering`. If a role has no model, the answer is a problem that says so. As a context
    manager, it closes connections and the cache at the end.
    """

    def __init__(
        self, workspace: Workspace, options: RunOptions, *, warn: Callable[[str], None]
    ) -> None:
        """Args:
        workspace: the workspace, with settings and cache.
        options: roles, budget, whether the cache is used.
        warn: called with each warning.
        """
        self._engine = Engine(workspace, options, warn=warn)
        self._given = options.roles
        self.roles = roles_of(options, workspace.settings)
        """Role -> its model."""
        self._loop: asyncio.AbstractEventLoop | None = None

    def has(self, roles: Sequence[str]) -> bool:
        """Whether all these roles have a model."""
        return all(role in self.roles for role in roles)

    def takes(self, answer: Answer) -> bool:
        """Whether an earlier answer can be used: it has a completion, and the user names no other
        model for its role now."""
        model = self._given.get(answer.role, answer.model)
        return answer.completion is not None and answer.model == model

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine that asks models, and return its result."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(work)

    def example_problems(self, spec: Spec, *, trust: bool) -> list[Problem]:
        """Return problems of a test's examples whose verdict isn't what the test says.

        Args:
            spec: the test.
            trust: whether the test's code may run.

        Raises:
            LveError: a checker can't be made, or a model can't be used.
        """
        judge = resolve_with(spec, self._engine.settings, trusted=trust)
        texts = text_checkers(judge.checkers)
        judge = Judge(texts, pass_when=spec.pass_when, answer=judge.answer)
        try:
            return all_example_problems(spec, partial(self.verdict, judge))
        finally:
            judge.stop()

    def verdict(self, judge: Judge, context: CheckContext) -> Verdict:
        """Return a verdict, after asking models if the checkers need answers.

        Raises:
            UsageError: a role's model can't be used.
            BudgetError: the budget doesn't allow a request.
        """
        return self.run(judged_here(judge, context, self))

    async def answer(self, question: Question) -> Answer:
        """Return the answer to a question; errors as of `Answering`."""
        if question.role not in self.roles:
            problem = no_model(question.role)
            return Answer(question.key, question.role, "", problem=problem, problem_kind="checker")
        return await self._engine.models.role_models.answer(question)

    def __enter__(self) -> RoleSession:
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is None:
            return
        try:
            self._loop.run_until_complete(self._engine.close())
        finally:
            self._loop.close()
