"""Finds keys, tokens and passwords in a text.

What keys and tokens look like, by their makers' documentation.

`secret_shapes.tsv` has a rule a line: the secret's name as reasons say it (`a GitHub token`); words
in lower case, of which one is in every such secret (a text without them isn't searched); and a
pattern. gitleaks' and detect-secrets' tables were guides to which secrets there are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import log2
from pathlib import Path

from lve.checkers.shape.patterns import pattern
from lve.named_tuples import NamedTuple

_URL = re.compile(
    r"(?<![\w+])[a-zA-Z][a-zA-Z0-9+.-]{1,30}://(?P<user>[^\s:@/?#\"'<>`]{0,100})"
    r":(?P<value>[^\s:@/?#\"'<>`]{1,200})@(?=[\w\[$])"
)
"""An address with a password."""
_LOGIN = re.compile(pattern("password_in_command"))
"""A password in a command, or in .netrc."""
_BEARER = re.compile(r"(?i)\b(?:bearer|basic)\s+(?P<value>[A-Za-z0-9._~+/-]{20,2000}={0,2})(?!\w)")
_NAMES = (
    r"[A-Za-z0-9_.-]{0,60}?(?:password|passwd|passphrase|passwort|passcode|kennwort"
    r"|contraseña|contrasena|senha|mot de passe|wachtwoord|hasło|пароль|密码|密碼|パスワード"
    r"|비밀번호|pwd|(?<![A-Za-z0-9])(?:pass|pw|clave)(?![A-Za-z])|secret|api[_ -]?key|apikey"
    r"|access[_-]?key(?:[_-]id)?|secret[_-]?key"
    r"|private[_-]?key|signing[_-]?key|encryption[_-]?key|auth[_-]?key|token|credentials?)"
    r"(?:[_-](?:key|token|base|value|hash|id|prod|dev))?"
)
_ASSIGNED = re.compile(
    rf"(?i)(?<![A-Za-z0-9_.-])(?P<name>{_NAMES})[\"'`*]{{0,3}}"
    r"\s?(?:=>|:=|[:=：>]|\s(?:is|ist|lautet|est|es|è|é|jest)(?:\s?:)?(?=\s)|是|は|为|為)\s{0,2}"
    r"(?P<quote>[\"'`*]{0,3})(?P<value>[^\s\"'`,;<>(){}\[\]，。；]{6,400})(?P<after>.?)"
)
_PLACEHOLDER = re.compile(pattern("secret_placeholder"))
"""What stands for a secret without being one."""
_STANDS_FOR_A_KEY = re.compile(pattern("key_placeholder"))
"""What is in a key that only shows its shape: `AKIAIOSFODNN7EXAMPLE`, `sk-xxxx`, and jwt.io's
John Doe."""
_CODE = re.compile(r"^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$|^(?:https?|file|/|\./|~/)")
"""A name in a program, or a path: `settings.API_KEY_2`."""
_ASSIGNMENT_WORDS = (
    *(
        "pass",
        "pw",
        "clave",
        "secret",
        "key",
        "token",
        "credential",
        "kennwort",
        "contrase",
        "senha",
    ),
    *("wachtwoord", "hasło", "пароль", "密码", "密碼", "パスワード", "비밀번호"),
)


def secret_kinds(text: str) -> list[str]:
    """Return what kinds of secrets are in a text, each once: `a GitHub token`."""
    small = text.lower()
    kinds = [
        rule.name
        for rule in secret_rules()
        if any(word in small for word in rule.keywords)
        and any(_is_random(match[0]) for match in rule.pattern.finditer(text))
    ]
    if any(_passwords(text, small)):
        kinds.append("a password")
    return list(dict.fromkeys(kinds))


def _passwords(text: str, small: str) -> Iterator[bool]:
    """Yield for each value that may be a password whether it is one."""
    if "://" in small:
        for url in _URL.finditer(text):
            yield _is_password(url["value"]) and url["value"] != url["user"]
    if any(word in small for word in ("-u", "--", "mysql", "sshpass", "login")):
        for login in _LOGIN.finditer(text):
            value = str(login[login.lastindex or 0])
            yield _is_password(value) and _is_mixed(value)
    if "bearer" in small or "basic" in small:
        for header in _BEARER.finditer(text):
            yield _is_random(header["value"]) and _is_mixed(header["value"])
    if any(word in small for word in _ASSIGNMENT_WORDS):
        yield from (_is_assigned(assignment) for assignment in _ASSIGNED.finditer(text))


def _is_assigned(assignment: re.Match[str]) -> bool:
    """Return whether an assignment gives a secret: `DB_PASSWORD=...`, "the password is ..."."""
    value, is_quoted = assignment["value"].rstrip(".!?*"), bool(assignment["quote"])
    if not is_quoted and (_CODE.match(value) or assignment["after"] in ("(", "[", "{")):
        return False
    return _is_password(value) and _is_mixed(value)


def _is_password(value: str) -> bool:
    return len(value) >= 6 and not _PLACEHOLDER.search(value) and len(set(value)) > 4


def _is_mixed(value: str) -> bool:
    """Return whether a value has letters and digits, or is too random to be words."""
    has_digit = any(map(str.isdigit, value))
    has_letter = any(map(str.isalpha, value))
    return has_letter and (has_digit or (len(value) >= 20 and _entropy(value) > 4.0))


def _is_random(value: str) -> bool:
    """Return whether a value is no placeholder (`sk-xxxx`), prose or a list of words."""
    if _STANDS_FOR_A_KEY.search(value):
        return value.startswith("-----BEGIN")
    if re.fullmatch(r"[a-z]+(?:[_-][a-z]+)+", value):
        return False
    return _entropy(value) > 1.5


def _entropy(value: str) -> float:
    """Return the bits of information per character."""
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())


SHAPES = Path(__file__).with_name("secret_shapes.tsv")


class SecretRule(NamedTuple):
    """The shape of one kind of secret."""

    name: str
    keywords: tuple[str, ...]
    pattern: re.Pattern[str]


@cache
def secret_rules() -> tuple[SecretRule, ...]:
    """Return the shapes of the secrets that show by themselves what they are."""
    rows = (line.split("\t") for line in SHAPES.read_text(encoding="utf-8").splitlines())
    return tuple(
        SecretRule(name, tuple(keywords.split()), re.compile(pattern))
        for name, keywords, pattern in rows
    )
