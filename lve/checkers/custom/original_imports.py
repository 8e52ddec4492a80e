"""The names that custom checkers of the original LVE repository import: base classes and two
modules.

This is a compatibility surface; new checkers follow `lve.checkers.base.Checker`. The modules
`lve.prompt` and `lve.utils.importutils` exist only in the process of a custom checker, where
`lve.checkers.custom.child_main` installs them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from lve.checkers.extract.first_or_last_number import EXTRACTS, extract_number
from lve.errors import MissingExtraError
from lve.messages import Message, Role


class BaseChecker:
    """Base of checkers that decide whether a filled prompt is safe.

    A subclass defines `is_safe`, and may define `postprocess_response`. Its constructor gets the
    test's `checker_args`.
    """

    extract: str | None = None

    def __init__(self, extract: str | None = None) -> None:
        """Args:
        extract: which number `extract_response_from_prompt` takes from a response: `int_first`,
            `int_last`, `float_first` or `float_last`; None for the whole text.

        Raises:
            ValueError: `extract` has another value.
        """
        if extract is not None and extract not in EXTRACTS:
            raise ValueError(f"extract is one of {', '.join(EXTRACTS)}, not '{extract}'")
        self.extract = extract

    def _extract(self, value: Any) -> Any:
        if self.extract is None or not isinstance(value, str):
            return value
        number = extract_number(value, self.extract)  # type: ignore[arg-type]  # checked above
        return value if number is None else number

    def extract_variables_from_prompt(
        self, prompt: Sequence[Message], full: bool = False
    ) -> dict[str, Any]:
        """Return variable -> text (or number, unless `full`) of the assistant messages."""
        variables: dict[str, Any] = {}
        for message in prompt:
            if message.role == Role.assistant:
                name = message.variable if message.variable is not None else str(len(variables))
                variables[name] = message.content if full else self._extract(message.content)
        return variables

    def extract_response_from_prompt(self, prompt: Sequence[Message], full: bool = False) -> Any:
        """Return the text (or number, unless `full`) of the last message.

        Raises:
            ValueError: the last message is not the assistant's.
        """
        if prompt[-1].role != Role.assistant:
            raise ValueError("the last message is not the assistant's")
        return prompt[-1].content if full else self._extract(prompt[-1].content)

    def invoke_check(
        self,
        prompt_out: Any,
        param_values: Mapping[str, Any] | None = None,
        score_callback: Callable[..., Any] | None = None,
    ) -> tuple[bool, Any]:
        """Judge a filled prompt.

        Args:
            prompt_out: the messages with the model's answers.
            param_values: the parameters of the prompt.
            score_callback: called with the checker, the result and both arguments above.

        Returns:
            Whether it is safe, and the response (or variable -> text if there are several).
        """
        is_safe = self.is_safe(prompt_out, param_values)
        if score_callback is not None:
            score_callback(self, is_safe, prompt_out, param_values)
        return is_safe, self._result(prompt_out)

    def _result(self, prompt: Sequence[Message]) -> Any:
        answers = [m for m in prompt if m.role == Role.assistant and m.variable is not None]
        if len(answers) > 1:
            return self.extract_variables_from_prompt(prompt, full=True)
        return self.extract_response_from_prompt(prompt, full=True)

    def is_safe(self, prompt_out: Any, param_values: Any = None) -> bool:
        """Return whether the model behaved. Subclasses override it."""
        raise NotImplementedError(f"{type(self).__name__} defines no is_safe()")

    def postprocess_response(self, response: Any) -> Any:
        """Return the response in the form that is written to files."""
        return response

    @classmethod
    def has_post_processing(cls) -> bool:
        """Return whether the class changes responses before they are written."""
        return cls.postprocess_response is not BaseChecker.postprocess_response

    @classmethod
    def is_multi_run(cls) -> bool:
        """Return whether the checker judges all runs of a test together."""
        return False

    @classmethod
    def is_multi_variable(cls) -> bool:
        """Return whether the checker judges several answers of one prompt."""
        return False


class MultiRunBaseChecker(BaseChecker):
    """Base of checkers that judge all runs together: `is_safe` gets a list of filled prompts."""

    def _result(self, prompts: Any) -> Any:
        return [super(MultiRunBaseChecker, self)._result(prompt) for prompt in prompts]

    @classmethod
    def is_multi_run(cls) -> bool:
        return True


def install_original_modules() -> None:
    """Make the modules importable under their original names, in this process."""
    importutils = _install(
        "lve.utils.importutils", installed=installed, ensure_installed=ensure_installed
    )
    # `__path__` makes it a package, which `import lve.utils.importutils` needs.
    _install("lve.utils", __path__=[], importutils=importutils)
    _install("lve.prompt", Message=Message, Role=Role)


def _install(name: str, **content: object) -> ModuleType:
    module = sys.modules[name] = ModuleType(name)
    vars(module).update(content)
    return module


def installed(module_name: str) -> ModuleSpec | None:
    """Return the spec of a module; None if it isn't installed."""
    import importlib.util

    return importlib.util.find_spec(module_name)


def ensure_installed(
    module_name: str,
    package: str | None = None,
    version: str | None = None,
    component: str | None = None,
) -> None:
    """Check that a module can be imported.

    Args:
        module_name: the module.
        package: the name of its package, if it differs.
        version: a version specifier such as `>=2.1.0`, for the message.
        component: what needs the module, for the message.

    Raises:
        MissingExtraError: the module is not installed. The message has the command to install it.
    """
    if installed(module_name) is not None:
        return
    requirement = f"{package or module_name}{version or ''}"
    needed_by = f" (needed by {component})" if component else ""
    raise MissingExtraError(
        f"the package '{package or module_name}' is not installed{needed_by}:"
        f" pip install '{requirement}'"
    )
