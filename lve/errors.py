"""Every error that lve raises on purpose.

    LveError
    ├── UsageError                 the command line, the settings or the Python call is wrong
    │   ├── SettingsError          lve.yaml or [tool.lve] can't be used
    │   ├── UnknownModelError      no such model, or its endpoint is missing
    │   │   └── MissingKeyError    its key is missing, or can't be one
    │   ├── PluginError            a plugin can't be found, loaded or used
    │   └── UnavailableError       a test can't run here; it is skipped, the others run
    │       ├── MissingExtraError  an optional package is needed and not installed
    │       └── TrustError         foreign code would have to run and is not trusted
    ├── SpecError                  a test document can't be used; carries all its problems
    ├── PromptError (ValueError)   a prompt can't be filled in
    │   ├── PlaceholderError       it has braces that are no placeholders
    │   ├── PromptObjectError      a prompt object is wrong, or its file
    │   └── AdaptError             a model could not translate it
    │   └── TemplateError          a data-set template can't be rendered; says at which stage
    ├── CheckerError               a checker can't be made or crashed
    ├── ModelError                 a completion could not be had
    │   ├── TransientModelError    worth another try
    │   └── PermanentModelError    the same request would fail again
    ├── BudgetError                the session's budget doesn't allow another call
    ├── SessionError               a session, journal or cache can't be read or continued
    │   └── NoSessionError (UsageError)              there is no such session
    └── UnexpectedError            a bug of lve, met while it handled one test

A message says what is wrong, where, and what to do next. It is shown without a traceback; anything
that is not an `LveError` is our bug. `lve.cli.main` says which error ends with which exit code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lve.escape import escape

Severity = Literal["error", "warning"]


def with_code(message: str, code: str) -> str:
    """Return a message as a terminal shows it: its code at the end, in brackets."""
    return f"{message} [{code}]"


class LveError(Exception):
    """Base class of all errors that lve raises on purpose.

    `str()` escapes the message, so that a traceback can show a test's texts on a terminal safely.

    Attributes:
        code: short stable word for what is wrong, such as `unknown_model`; `lve explain` says more.
            A class has one where all its errors have the same cause; others get it when made.
    """

    code: str = "error"

    def __init_subclass__(cls, *, code: str | None = None) -> None:
        if code is not None:
            cls.code = code

    def __init__(self, *args: object, code: str | None = None) -> None:
        super().__init__(*args)
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return escape(super().__str__())

    @property
    def told(self) -> str:
        """The message with its code, as a terminal shows it: `no such file [no_such_path]`."""
        return with_code(str(self), self.code)


class UsageError(LveError, code="usage"):
    """The command line, the settings or the Python call is wrong."""


class SettingsError(UsageError, code="settings"):
    """`lve.yaml` or `[tool.lve]` can't be used."""


class UnknownModelError(UsageError, code="unknown_model"):
    """No such model, or what it needs (a key, an endpoint) is missing."""


class MissingKeyError(UnknownModelError, code="missing_api_key"):
    """The key of a model is missing, or can't be one."""


class PluginError(UsageError, code="plugin"):
    """A plugin can't be found, loaded or used; names the package that brings it."""


class UnavailableError(UsageError, code="unavailable"):
    """What a test needs is not installed or not allowed here: it is skipped, the others run."""


class MissingExtraError(UnavailableError, code="missing_package"):
    """An optional package is needed and not installed."""


class TrustError(UnavailableError, code="untrusted"):
    """Code of a test, or a program of the settings, would have to run and is not trusted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a file."""

    message: str
    """What is wrong, in one sentence without a final full stop."""
    file: Path
    """The file, as the user would name it (relative to the current directory where possible)."""
    line: int | None = None
    """From 1."""
    column: int | None = None
    """From 1, in characters."""
    path: str | None = None
    """JSON path of the value, such as `$.prompt[2].role`."""
    hint: str | None = None
    """What to do about it."""
    severity: Severity = "error"
    code: str = field(kw_only=True)
    """Short stable word for what is wrong, as of `LveError`."""

    @property
    def told(self) -> str:
        """The problem with its code, as a terminal shows it."""
        return with_code(str(self), self.code)

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.file, self.line, self.column) if p is not None)
        path = f" {self.path}:" if self.path else ""
        warning = " warning:" if self.severity == "warning" else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}:{warning}{path} {self.message}{hint}"


class SpecError(LveError):
    """A test document can't be used.

    Attributes:
        problems: everything that is wrong, in the order of the file.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = "\n".join(str(problem) for problem in self.problems)
        super().__init__(lines, code=self.problems[0].code if problems else None)

    @property
    def told(self) -> str:
        """The problems with their codes, each on its own line."""
        return "\n".join(escape(problem.told) for problem in self.problems)


class PromptError(LveError, ValueError, code="prompt"):
    """A prompt can't be filled in."""


class PlaceholderError(PromptError, code="placeholder"):
    """A prompt's text has braces that are no placeholders, or a placeholder that is refused.

    Attributes:
        offset: where it stands in the text, in characters from 0.
    """

    def __init__(self, message: str, *, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


TemplateStage = Literal[
    "template", "dataset", "retriever", "retrieve", "ice", "prompt", "model", "parse", "infer",
    "messages",
]  # fmt: skip
"""The stages of rendering a data set, in order."""


class TemplateError(PromptError):
    """A data-set template, its retriever or a meta template can't be used.

    Attributes:
        stage: the stage that failed.
    """

    def __init__(self, message: str, *, stage: TemplateStage) -> None:
        super().__init__(message, code=f"template_{stage}")
        self.stage: TemplateStage = stage


class PromptObjectError(PromptError, code="prompt_object"):
    """A prompt object can't be made, filled, saved or read.

    Attributes:
        problems: everything that is wrong with it.
    """

    def __init__(self, problems: Sequence[str], *, name: object = None) -> None:
        self.problems = tuple(problems)
        named = f"prompt {name!r}: " if isinstance(name, str) and name else ""
        super().__init__(named + "\n".join(self.problems))


class PromptTypeError(PromptObjectError, TypeError):
    """A prompt object's file holds something other than an object."""


class PromptFileError(PromptObjectError, OSError, code="prompt_object_file"):
    """A prompt object's file can't be read or written."""


class PromptNotFoundError(PromptFileError, FileNotFoundError, code="no_such_prompt"):
    """No prompt object is saved under that name."""


class PromptIndexError(PromptError, IndexError, code="no_such_example"):
    """A prompt object has no example with that index."""


class PromptExistsError(PromptError, FileExistsError, code="prompt_exists"):
    """A different prompt object is saved under that name."""


class AdaptError(PromptError, code="translation"):
    """A model could not translate a prompt object."""


class MissingModelError(UsageError, AttributeError, code="no_model"):
    """A model is needed and None was given (an AttributeError, as in ragas)."""


class CheckerError(LveError, code="checker"):
    """A checker can't be made from its arguments, or crashed."""


class ModelError(LveError):
    """A completion could not be had.

    Attributes:
        kind: its code, for reports and statistics: `rate_limit`, `timeout`.
        status: HTTP status, if there was one.
        retry_after_s: seconds that the server asks to wait before the next attempt, if it does.
        was_sent: False if the request certainly never reached the server.
    """

    retryable = False

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        status: int | None = None,
        retry_after_s: float | None = None,
        was_sent: bool = True,
    ) -> None:
        super().__init__(message, code=kind)
        self.kind = kind
        self.status = status
        self.retry_after_s = retry_after_s
        self.was_sent = was_sent


class TransientModelError(ModelError):
    """A failure worth another try: connection, timeout, 408, 409, 429, 5xx, unreadable answer."""

    retryable = True


class AdjustedRequestError(TransientModelError):
    """The server refused a part of a request; the next attempt, at once, is written without it."""


class PermanentModelError(ModelError):
    """The same request would fail again: 400, 401, 403, 404."""


class ContentFilteredError(PermanentModelError):
    """The provider refused to answer this prompt."""


class BudgetError(LveError, code="budget"):
    """The session's budget doesn't allow another call."""


class SessionError(LveError, code="session"):
    """A session, journal or cache can't be read, written or continued."""


class NoSessionError(SessionError, UsageError, code="no_such_session"):
    """There is no session of that name, or several."""


class UnexpectedError(LveError, code="unexpected"):
    """A bug of lve, met while it handled one test: `lve.border` makes it that test's error."""
