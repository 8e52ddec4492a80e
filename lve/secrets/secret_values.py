"""Finds secrets in environment variables by the variables' names, and keys by their looks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from lve.json_types import JsonValue

REDACTED = "[redacted]"
MIN_LENGTH = 8
"""Shorter secrets are ignored: replacing placeholder keys such as `EMPTY` would garble answers."""

# fmt: off
_SECRET_WORDS = frozenset({
    "key", "keys", "apikey", "apikeys", "token", "secret", "secrets", "password", "passwords",
    "passwd", "passphrase", "pat", "credential", "credentials", "creds", "dsn", "bearer", "jwt",
    "authorization", "cookie",
})
_AMBIGUOUS_WORDS = frozenset({"auth", "pass", "private"})
"""Words that also occur in names of plain settings: the value must look like a secret, too."""
_ENDINGS = (
    "token", "secret", "password", "passwd", "apikey", "accesskey", "secretkey", "privatekey",
    "authkey", "connectionstring",
)
"""Endings of words written together: GITHUBTOKEN, PGPASSWORD."""
_DESCRIBING_WORDS = frozenset({
    "algo", "algorithm", "audience", "count", "dir", "enabled", "endpoint", "env", "expires",
    "expiry", "file", "folder", "format", "header", "host", "issuer", "layout", "len", "length",
    "limit", "method", "mode", "name", "parallelism", "path", "port", "prefix", "provider", "size",
    "sock", "socket", "timeout", "ttl", "type", "uri", "url", "var", "version",
})
"""Last words of names whose value describes a secret, but isn't one: TOKEN_URL, AUTH_TYPE."""
# fmt: on
# Patterns are kept as texts: compiling one takes 0.2 ms, and most starts need none of them.
_PASSWORD = r"(?i)[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@"
_PASSWORD_OPTION = r"(?i)://[^\s#]*[?&](?:ssl)?password=([^\s&#]+)"
_PLAIN_WORD = r"(?s)[a-z_ -]{1,20}|[A-Z_ -]{1,20}|[0-9.]+|[/~.].*"
_KEY_LIKE = (
    r"\b(?:sk|pk|rk)-[\w-]{8,}|\b(?:ghp|gho|ghs|github_pat|glpat|hf|xox[a-z])[_-]\w{16,}"
    r"|(?<![A-Za-z0-9])(?=(?:[A-Za-z]*[0-9]){4})(?=[0-9]*[A-Za-z])[A-Za-z0-9]{16,}"
    r"|(?<![A-Za-z0-9])[A-Za-z0-9]{32,}"
)
_ASSIGNMENT = r"([A-Za-z ]+)=([^;]+)"


def is_secret_name(name: str) -> bool:
    """Return whether a variable or option with this name holds a secret: the name has a word such
    as `token`, and its last word isn't one such as `type` (`TOKEN_TYPE`)."""
    return bool(_secret_words(name))


@lru_cache(maxsize=1024)  # own_redactor asks for the same names again and again
def _secret_words(name: str) -> frozenset[str]:
    """Return the words of a name that indicate a secret."""
    words = _words(name)
    is_token_id = bool(words) and words[-1] in ("id", "ids") and "token" in words[:-1]
    if not words or words[-1] in _DESCRIBING_WORDS or is_token_id:
        return frozenset()
    vocabulary = _SECRET_WORDS | _AMBIGUOUS_WORDS
    secret_words = {word for word in words if word in vocabulary or word.endswith(_ENDINGS)}
    if len(words) > 1 and "pwd" in words:  # PWD itself is the current folder
        secret_words.add("pwd")
    if "connection string" in " ".join(words):
        secret_words.add("connection string")
    return frozenset(secret_words)


def _words(name: str) -> list[str]:
    """Return the lower-case words of a name such as DB_PASSWORD, X-Api-Key or apiKey."""
    if not name.isupper():
        name = re.sub("(?<=[a-z])(?=[A-Z])", "_", name)
    return "".join(letter if letter.isalpha() else " " for letter in name.lower()).split()


def find_secrets(env: Mapping[str, str], names: Iterable[str] = ()) -> set[str]:
    """Return the secrets in environment variables.

    Args:
        env: the variables.
        names: variables that hold secrets although their names may not show it.

    Returns:
        The values of `names`, the values of all variables whose name indicates a secret, and the
        passwords in URLs.
    """
    secret_names = set(names)
    secrets: set[str] = set()
    for name, value in env.items():
        value = value.strip()  # requests are sent without blanks around the key
        if value and (name in secret_names or _holds_secret(name, value)):
            secrets.update(_parts(value))
        if "://" in value:
            secrets.update(_passwords(value))
    return secrets


def _holds_secret(name: str, value: str) -> bool:
    words = _secret_words(name)
    return bool(words - _AMBIGUOUS_WORDS) or (bool(words) and not re.fullmatch(_PLAIN_WORD, value))


def _parts(value: str) -> Iterator[str]:
    """Yield a secret and the secrets inside it: the lines of a key file, the keys in a list, the
    password in a connection string."""
    yield value
    for part in value.replace(",", " ").split():
        if len(part) >= 2 * MIN_LENGTH and not part.startswith("-----") and "=" not in part[:-2]:
            yield part
    for name, part in re.findall(_ASSIGNMENT, value) if "=" in value else ():
        if is_secret_name(name):
            yield part.strip()


def _passwords(value: str) -> Iterator[str]:
    """Yield the passwords in the URLs of `value`, and `value` itself if it has any."""
    from urllib.parse import unquote

    for match in (*re.finditer(_PASSWORD, value), *re.finditer(_PASSWORD_OPTION, value)):
        yield match.group(1)
        yield unquote(match.group(1))
        yield value


def looks_like_key(text: str) -> bool:
    """Return whether a text looks like a key rather than the name of a variable or a model: it has
    the prefix of a key (`sk-`), a long word of letters and many digits, or a very long word."""
    return re.search(_KEY_LIKE, text) is not None


def without_keys(text: str) -> str:
    """Return a message in which everything that looks like a key is replaced."""
    return re.sub(_KEY_LIKE, REDACTED, text)


def without_secrets(value: JsonValue, name: str = "") -> Any:
    """Return options with secrets redacted: values whose keys are names of secrets, and user names,
    passwords and queries in URLs."""
    if value is not None and name and is_secret_name(name):
        return REDACTED
    if isinstance(value, Mapping):
        return {str(key): without_secrets(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(item) for item in value]
    if isinstance(value, str) and "://" in value:
        return _plain_url(value)
    return value


def public_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a session with secrets redacted, except `parameters`: a parameter may
    be called `password`, and a resumed session needs its value."""
    return {
        name: value if name == "parameters" else without_secrets(value, name)
        for name, value in options.items()
    }


def _plain_url(text: str) -> str:
    try:
        from urllib.parse import urlsplit, urlunsplit  # late: few options are URLs

        url = urlsplit(text)
        host = url.netloc.rpartition("@")[2]
    except ValueError:
        return REDACTED
    user = f"{REDACTED}@" if "@" in url.netloc else ""
    return urlunsplit((url.scheme, user + host, url.path, REDACTED if url.query else "", ""))
