"""Every error that lve raises on purpose.

    LveError
    ├── UsageError                 the command line, the settings or the Python call is wrong
    │   ├── SettingsError          lve.yaml or [tool.lve] is invalid
    │   ├── UnknownModelError      no such model, or its endpoint is missing
    │   │   └── MissingKeyError    its API key is missing or malformed
    │   ├── MissingModelError      a model is needed and None was given
    │   ├── PluginError            a plugin can't be found, loaded or used
    │   └── UnavailableError       a test can't run here; it is skipped, the others run
    │       ├── MissingExtraError  an optional package is needed and not installed
    │       └── TrustError         untrusted code would have to run
    ├── SpecError                  a test document is invalid; has all its problems
    ├── PromptError                a prompt can't be filled in
    │   ├── PlaceholderError       its text has braces that aren't placeholders
    │   ├── PromptObjectError      a prompt object, or its file, is invalid
    │   ├── AdaptError             a model could not translate a prompt object
    │   └── TemplateError          a data-set template can't be rendered; names the stage
    ├── CheckerError               a checker can't be made, or crashed
    ├── ModelError                 the model gave no completion
    │   ├── TransientModelError    worth a retry
    │   └── PermanentModelError    the same request would fail again
    ├── BudgetError                a budget doesn't allow another request
    ├── SessionError               a session, journal or cache can't be read or continued
    │   └── NoSessionError         there is no such session
    └── UnexpectedError            a bug in lve, found while it handled one test

A message says what is wrong, where, and what to do next, and is shown without a traceback. Any
other exception is a bug in lve.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from lve.data_classes import dataclass, field
from lve.escape import PlacedWarning, escape

if TYPE_CHECKING:
    from pathlib import Path  # costs `lve --help` 7 %

Severity = Literal["error", "warning"]


def with_code(message: str, code: str) -> str:
    """Return a message with its code in brackets: `no such file [no_such_path]`."""
    return f"{message} [{code}]"


class LveError(Exception):
    """Base class of all errors that lve raises on purpose.

    `str()` escapes the message, so that a traceback with a test's texts is safe on a terminal.

    Attributes:
        code: short stable word for what is wrong, such as `unknown_model`; `lve explain` describes
            it. A class defines it if all its errors have one cause; otherwise who raises one does.
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
    def message_with_code(self) -> str:
        """The message with its code in brackets, as it is printed."""
        return with_code(str(self), self.code)


class UsageError(LveError, code="usage"):
    """The command line, the settings or the Python call is wrong."""


class SettingsError(UsageError, code="settings"):
    """`lve.yaml` or `[tool.lve]` is invalid."""


class UnknownModelError(UsageError, code="unknown_model"):
    """There is no such model, or its key or endpoint is missing."""


class MissingKeyError(UnknownModelError, code="missing_api_key"):
    """The API key of a model is missing or malformed."""


class PluginError(UsageError, code="plugin"):
    """A plugin can't be found, loaded or used. The message names the package that provides it."""


class UnavailableError(UsageError, code="unavailable"):
    """A test needs something that isn't installed or allowed here; the test is skipped."""


class MissingExtraError(UnavailableError, code="missing_package"):
    """An optional package is needed and not installed."""


class TrustError(UnavailableError, code="untrusted"):
    """Code of a test, or a program in the settings, would have to run and isn't trusted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake, or a warning, in a file."""

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
    """Short stable word for what is wrong, as in `LveError`."""

    @property
    def message_with_code(self) -> str:
        """The problem with its code in brackets, as it is printed."""
        text = with_code(str(self), self.code)
        return PlacedWarning(text) if self.severity == "warning" else text

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.file, self.line, self.column) if p is not None)
        path = f" {self.path}:" if self.path else ""
        warning = " warning:" if self.severity == "warning" else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}:{warning}{path} {self.message}{hint}"


class SpecError(LveError):
    """A test document is invalid. `problems` has all its mistakes, in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = "\n".join(str(problem) for problem in self.problems)
        super().__init__(lines, code=self.problems[0].code if problems else None)

    @property
    def message_with_code(self) -> str:
        """The problems with their codes, each on its own line."""
        return "\n".join(escape(problem.message_with_code) for problem in self.problems)


class PromptError(LveError, ValueError, code="prompt"):
    """A prompt can't be filled in."""


class PlaceholderError(PromptError, code="placeholder"):
    """A prompt's text has braces that aren't placeholders, or a placeholder that is refused;
    `offset` is its position in the text, in characters from 0."""

    def __init__(self, message: str, *, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


TemplateStage = Literal[
    "template", "dataset", "retriever", "retrieve", "ice", "prompt", "model", "parse", "infer",
    "messages",
]  # fmt: skip
"""The stages of rendering a data-set template, in order."""


class TemplateError(PromptError):
    """A data-set template, its retriever or a meta template is invalid, at the given `stage`."""

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
        prefix = f"prompt {name!r}: " if isinstance(name, str) and name else ""
        super().__init__(prefix + "\n".join(self.problems))


class PromptTypeError(PromptObjectError, TypeError):
    """A prompt object's file holds something other than an object."""


class PromptFileError(PromptObjectError, OSError, code="prompt_object_file"):
    """A prompt object's file can't be read or written."""


class PromptNotFoundError(PromptFileError, FileNotFoundError, code="no_such_prompt"):
    """No prompt object is saved under that name."""


class PromptIndexError(PromptError, IndexError, code="no_such_example"):
    """A prompt object has no example with that index."""


class PromptExistsError(PromptError, FileExistsError, code="prompt_exists"):
    """A different prompt object is already saved under that name."""


class AdaptError(PromptError, code="translation"):
    """A model could not translate a prompt object."""


class MissingModelError(UsageError, AttributeError, code="no_model"):
    """A model is needed and None was given. (Also an AttributeError, as in ragas.)"""


class CheckerError(LveError, code="checker"):
    """A checker can't be made from its arguments, or crashed."""


class ModelError(LveError):
    """The model gave no completion.

    Attributes:
        kind: the code, for reports and statistics: `rate_limit`, `timeout`.
        status: HTTP status, if there was one.
        retry_after_s: seconds to wait before the next attempt, if the server says so.
        was_sent: False if the request certainly never reached the server.
        cause: what went wrong, if the message also says how often it was tried or who wasn't asked.
    """

    retryable = False
    cause: str | None = None

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
    """A failure worth a retry: connection, timeout, 408, 409, 429, 5xx, unreadable answer."""

    retryable = True


class AdjustedRequestError(TransientModelError):
    """The server refused a part of the request. The next attempt, at once, leaves it out."""


class PermanentModelError(ModelError):
    """The same request would fail again: 400, 401, 403, 404."""


class ContentFilteredError(PermanentModelError):
    """The provider refused to answer this prompt."""


class BudgetError(LveError, code="budget"):
    """The budget of a role, such as `judge`, or else the session's, allows no further request."""

    def __init__(self, *args: object, role: str | None = None) -> None:
        super().__init__(*args)
        self.role = role


class SessionError(LveError, code="session"):
    """A session, journal or cache can't be read, written or continued."""


class NoSessionError(SessionError, UsageError, code="no_such_session"):
    """There is no session of that name, or several match."""


class UnexpectedError(LveError, code="unexpected"):
    """A bug in lve, found while it handled one test; see `lve.error_boundary`."""
