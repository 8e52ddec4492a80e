"""Writes checks as promptfoo's assertions that give the same verdicts, names models as promptfoo
does, and writes lve's texts as its templates (Nunjucks) and as expressions of JavaScript.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from lve.models.known_models import known_model, known_servers
from lve.pipeline.model_args import base_args
from lve.prompts.fill import Placeholder, fill, parse_template
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings
from lve.spec.spec import Spec

OWN_PROVIDERS = {"anthropic": "anthropic:messages", "gemini": "google", "openai": "openai:chat"}
"""Provider -> promptfoo's name of it. Others are servers with OpenAI's API."""
_CONFIG = frozenset(
    (
        *("temperature", "max_tokens", "max_completion_tokens", "top_p", "seed", "stop"),
        *("presence_penalty", "frequency_penalty", "response_format", "reasoning_effort"),
    )
)
"""Model args that are settings of promptfoo's, too. Others are passed on."""


def provider_of(name: str, spec: Spec, settings: Settings) -> dict[str, object] | None:
    """Return a model as a provider of promptfoo; None if it has none.

    Args:
        name: of the model.
        spec: the test, for this model.
        settings: the workspace's settings.
    """
    prefix, _, rest = name.partition("/")
    entry = settings.entry(name) or ModelSettings(provider=prefix)
    server, model = known_servers().get(entry.provider), entry.model or rest
    address = entry.base_url or (server.base_url if server and server.api == "openai" else None)
    if not model or (entry.provider not in OWN_PROVIDERS and address is None):
        return None
    traits = known_model(name, settings)
    renames = {**(traits.renames if traits else {}), **entry.renames}
    args = {renames.get(n, n): v for n, v in base_args(settings, name, spec).items()}
    config: dict[str, object] = {n: v for n, v in args.items() if n in _CONFIG and v is not None}
    if others := {n: v for n, v in args.items() if n not in _CONFIG and v is not None}:
        config["passthrough"] = others
    if address is not None:
        config["apiBaseUrl"] = address
    key = entry.api_key_env or (server.api_key_env if server else None)
    if key and address is not None:
        config["apiKeyEnvar"] = key
    return {
        "id": f"{OWN_PROVIDERS.get(entry.provider, OWN_PROVIDERS['openai'])}:{model}",
        "config": config,
    }


_OPENING = re.compile(r"\{(?=[{%#])")
_IN_VALUE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
OWN = "lve_text_"
"""Begins the names of variables for placeholders that Nunjucks has no word for."""


KEYWORDS = frozenset(
    ("and", "else", "false", "if", "in", "is", "none", "not", "null", "or", "true", "undefined")
)
"""Words of Nunjucks, which can't name variables."""


class Variables:
    """The variables of a test's rows: its parameters, and texts that lve fills."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        """Template of lve -> variable."""

    def template(self, text: str) -> str:
        """Return a text of lve as a template of Nunjucks.

        Raises:
            PlaceholderError: it isn't a valid text.
        """
        parts = parse_template(text).segments
        mark = next(sign for sign in map(chr, range(0xE000, 0xF900)) if sign not in text)
        written = "".join(p if isinstance(p, str) else mark for p in parts)
        names = iter([self._name(text, p) for p in parts if isinstance(p, Placeholder)])
        return re.sub(mark, lambda _: f"{{{{ {next(names)} }}}}", literal(written))

    def expression(self, text: str) -> str:
        """Return a text of lve as an expression of JavaScript, for an assertion.

        Raises:
            PlaceholderError: it isn't a valid text.
        """
        parts = [
            quoted(p) if isinstance(p, str) else f"context.vars[{quoted(self._name(text, p))}]"
            for p in parse_template(text).segments
        ]
        return " + ".join(parts) if len(parts) != 1 else parts[0]

    def row(self, parameters: Mapping[str, object]) -> dict[str, str]:
        """Return the values of all variables for a row.

        Raises:
            PromptError: a value can't be formatted as its placeholder says.
        """
        return {name: fill(text, parameters) for text, name in self._texts.items()}

    def is_replaced(self, value: str) -> bool:
        """Return whether promptfoo would replace something in the value of a variable."""
        return any(name in self._texts.values() for name in _IN_VALUE.findall(value))

    def _name(self, text: str, placeholder: Placeholder) -> str:
        is_plain = not (placeholder.indexes or placeholder.conversion or placeholder.spec)
        if is_plain and placeholder.name not in KEYWORDS:
            return self._texts.setdefault(f"{{{placeholder.name}}}", placeholder.name)
        written = _written(text, placeholder)
        return self._texts.setdefault(written, f"{OWN}{len(self._texts) + 1}")


def _written(text: str, placeholder: Placeholder) -> str:
    """Return a placeholder as it is written."""
    depth = 0
    for at in range(placeholder.offset, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[placeholder.offset : at + 1]
    raise AssertionError(text)


def literal(text: str) -> str:
    """Return a text in which nothing is a template of Nunjucks."""
    return _OPENING.sub('{{ "{" }}', text)


def quoted(text: str) -> str:
    """Return a text as a string of JavaScript that has nothing of a template."""
    return json.dumps(text).replace("{", "\\u007b")


Arguments = Mapping[str, Any]
NATIVE: Mapping[str, str] = {
    "contains": "contains",
    "contains_any": "contains-any",
    "contains_all": "contains-all",
}
"""Check -> assertion of the same meaning; with `i` before it, of any case."""
ASKING: Mapping[str, str] = {
    "judge": "llm-rubric",
    "closed_qa": "model-graded-closedqa",
    "factuality": "factuality",
}
"""Check -> assertion that asks a model the same, in other words."""
FILES = ("file://", "package:")
"""Begin values that promptfoo replaces by a file's content."""
_PYTHON_ONLY = re.compile(r"\(\?(?![:=!]|<[=!])|\\[AZN]|[*+?}]\+")
_ESCAPED_OR_CLASS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
_FLAGS = {"I": "i", "M": "m", "S": "s"}


class NotCarriedError(ValueError):
    """A check has no equal in promptfoo. The message says which and why."""


def assertion_of(name: str, args: Arguments, variables: Variables) -> dict[str, object]:
    """Return a check as an assertion.

    Args:
        name: of the check.
        args: its arguments, as written in the document.
        variables: gets what its texts name.

    Raises:
        NotCarriedError: promptfoo has no equal.
        PlaceholderError: a text isn't valid.
    """
    value = args.get(name)
    texts: list[Any] = value if isinstance(value, list) else [value]
    names_file = any(str(text).startswith(FILES) for text in texts)
    if name in ASKING and set(args) == {name} and isinstance(args[name], str):
        if names_file:
            raise NotCarriedError("a text that names a file, which promptfoo would read")
        return {"type": ASKING[name], "value": variables.template(args[name])}
    is_native = not args.get("ignore_case") or str(value).isascii()  # promptfoo doesn't casefold
    if name in NATIVE and is_native and not names_file and set(args) <= {name, "ignore_case"}:
        kind = f"{'i' if args.get('ignore_case') else ''}{NATIVE[name]}"
        if isinstance(value, str):
            return {"type": kind, "value": variables.template(value)}
        if isinstance(value, list):
            return {"type": kind, "value": [variables.template(text) for text in value]}
    if name == "is_json" and set(args) == {name}:
        return {"type": "is-json"}
    if _is_exact(name, args) and isinstance(value, str) and not names_file:
        return {"type": "equals", "value": variables.template(value)}
    return {"type": "javascript", "value": _script(name, args, variables)}


def _is_exact(name: str, args: Arguments) -> bool:
    """Return whether a check compares the texts as they are."""
    return name == "exact_match" and args == {name: args[name], "normalise": "none"}


def _script(name: str, args: Arguments, variables: Variables) -> str:
    if name in ("all", "any"):
        sign = " && " if name == "all" else " || "
        return f"({sign.join(_inner(part, variables) for part in _listed(args, name))})"
    if name == "not" and set(args) == {name} and isinstance(args[name], Mapping):
        return f"!{_inner(args[name], variables)}"
    if name == "weighted":
        if args.get("by", "verdict") != "verdict":
            raise NotCarriedError("the check `weighted` with by")
        parts = _listed(args, name)
        weights = [float(part.get("weight", 1)) for part in parts]
        scripts = [_inner({k: v for k, v in p.items() if k != "weight"}, variables) for p in parts]
        terms = " + ".join(f"{w!r} * {s}" for w, s in zip(weights, scripts, strict=True))
        return f"(({terms}) / {sum(weights)!r} >= {args.get('threshold', 0.5)!r})"
    make = _TEXTS.get(name)
    if _is_exact(name, args):
        make, args = _searching("a === t"), {name: args[name]}
    if make is None or set(args) - {name, "ignore_case"}:
        if name in ("regex", "not_regex") and not set(args) - {name, "flags"}:
            test = _pattern(args[name], args.get("flags", ""), variables)
            return f"!{test}" if name == "not_regex" else test
        more = sorted(set(args) - {name}) if make or "regex" in name else []
        raise NotCarriedError(f"the check `{name}`{f' with {more[0]}' if more else ''}")
    value = args[name]
    texts = value if isinstance(value, list) else [value]
    return make("String(output)", texts, variables, bool(args.get("ignore_case")))


def _inner(check: object, variables: Variables) -> str:
    match check:
        case {"name": _} | {"checker_name": _}:
            raise NotCarriedError("a checker inside another check")
        case dict() if check:
            return _script(next(iter(check)), check, variables)
    raise NotCarriedError("a check without a name")


def _listed(args: Arguments, name: str) -> list[Any]:
    if not isinstance(args[name], list) or set(args) - {name, "threshold"}:
        raise NotCarriedError(f"the check `{name}` with more than checks")
    return list(args[name])


def _searching(test: str, *, every: bool = False) -> Callable[..., str]:
    """Return a maker of scripts, for a test of the answer `a` and a text `t`."""

    def make(answer: str, texts: list[object], variables: Variables, ignore_case: bool) -> str:
        lower = ".toUpperCase().toLowerCase()" if ignore_case else ""
        each = ", ".join(variables.expression(_text(text)) for text in texts)
        many = "every" if every else "some"
        search = f"[{each}].{many}(x => {{ const t = x{lower}; return {test}; }})"
        return f"(a => {search})({answer}{lower})"

    return make


def _negated(make: Callable[..., str]) -> Callable[..., str]:
    return lambda *args: f"!{make(*args)}"


_TEXTS: Mapping[str, Callable[..., str]] = {
    "equals": _searching("a.trim() === t.trim()"),
    "contains": _searching("a.includes(t)"),
    "contains_any": _searching("a.includes(t)"),
    "contains_all": _searching("a.includes(t)", every=True),
    "not_contains": _negated(_searching("a.includes(t)")),
    "starts_with": _searching("a.trimStart().startsWith(t)"),
    "ends_with": _searching("a.trimEnd().endsWith(t)"),
}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise NotCarriedError("a check of something else than a text")
    return value


def _pattern(pattern: object, flags: object, variables: Variables) -> str:
    """Return a test of a regular expression of Python, in JavaScript's notation."""
    text = _text(pattern)
    if _PYTHON_ONLY.search(text) or set(str(flags).split("|")) - {*_FLAGS, ""}:
        raise NotCarriedError("a `regex` that only Python has")
    letters = "".join(_FLAGS[flag] for flag in str(flags).split("|") if flag)
    if "m" not in letters:  # Python's $ is also before a last line end
        text = _ESCAPED_OR_CLASS.sub(lambda m: "(?=\\n?$)" if m[0] == "$" else m[0], text)
    return f'new RegExp({variables.expression(text)}, "{letters}").test(String(output))'
