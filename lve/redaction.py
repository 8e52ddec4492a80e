"""Finds the secrets of this process in its environment and removes them from texts.

A secret is recognised by the name of its environment variable. It is replaced as it is, and in the
encodings in which a server that knows it could send it back: reversed, in upper or lower case, in
JSON, in URLs, in hexadecimal and in base64. Parts of a secret, other encodings and secrets that
aren't in the environment can't be recognised.
"""

from __future__ import annotations

import os
import re
from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

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
_RARE_FIRST = "%QZXJKVYWUGqHFBDzPNMOLxRjECSTAI"
"""Characters ordered from rare to frequent in texts and JSON."""
_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

_key_variables: set[str] = set()
_values: dict[bytes | str, bytes | str] = {}
"""The environment at the last call of `own_redactor`."""
_secrets: dict[bytes | str, set[str]] = {}
"""Variable -> the secrets in its value. Variables without secrets are left out."""


class Redactor:
    """Replaces known secrets in texts before they are written."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """
        Args:
            secrets: the values. Those shorter than `MIN_LENGTH` are ignored.
        """
        self._spellings: list[str] = []
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Replace these secrets, too, from now on. Those shorter than `MIN_LENGTH` are ignored."""
        known = {secret for secret in secrets if len(secret) >= MIN_LENGTH}
        spelled = {spelling for secret in known for spelling in spellings(secret)}
        self._spellings = sorted(
            spelled.union(self._spellings), key=lambda text: (-len(text), text)
        )
        groups: dict[str, list[str]] = {}
        for spelling in self._spellings:
            groups.setdefault(_rarest(spelling), []).append(spelling)
        # Searching for one character takes a tenth of the time of searching for a text, and most
        # texts don't have the rarest character of a spelling.
        self._groups = tuple((character, tuple(texts)) for character, texts in groups.items())

    @property
    def has_secrets(self) -> bool:
        """Whether any secret is known."""
        return bool(self._groups)

    @property
    def spelled(self) -> list[str]:
        """All spellings of the secrets."""
        return self._spellings

    def __call__(self, text: str) -> str:
        """Return `text` (plain or JSON) without the secrets."""
        for character, spelled in self._groups:
            if character in text:
                for spelling in spelled:
                    if spelling in text:
                        return self._without(text)
        return text

    def _without(self, text: str) -> str:
        for spelling in self._spellings:  # the longest first: one may contain another
            text = text.replace(spelling, REDACTED)
        return text


def _rarest(text: str) -> str:
    """Return the character of `text` that is rarest in texts in general."""
    return next((character for character in _RARE_FIRST if character in text), text[0])


def spellings(secret: str) -> Iterator[str]:
    """Yield a secret and all its encodings."""
    for text in (secret, secret[::-1], secret.upper(), secret.lower()):
        yield text
        yield from _in_json(text)
    data = secret.encode("utf-8", "surrogateescape")
    digits = data.hex()
    every = "".join(f"%{byte:02x}" for byte in data)
    for spelled in (digits, every, _in_url(data), _in_url(data, keep=b"/")):
        yield spelled
        yield _capital_digits(spelled) if "%" in spelled else spelled.upper()
        yield _small_digits(spelled)
    yield from _in_base64(data)


def _in_json(text: str) -> Iterator[str]:
    """Yield the JSON encodings of a text, if they differ from the text itself."""
    if text.isascii() and text.isprintable() and not {'"', "\\"} & set(text):
        return
    import json  # costs start-up time

    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]


def _in_url(data: bytes, keep: bytes = b"") -> str:
    """Return the URL encoding of `data`. (Importing `urllib` would cost start-up time.)"""
    kept = _UNRESERVED + keep
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in data)


def _capital_digits(url: str) -> str:
    return re.sub("%..", lambda found: found.group().upper(), url)


def _small_digits(url: str) -> str:
    return re.sub("%..", lambda found: found.group().lower(), url)


def _in_base64(data: bytes) -> Iterator[str]:
    """Yield the base64 encodings of a secret inside a longer text.

    Three bytes become four characters, so there are three encodings, depending on the offset.
    Characters that depend on the text before or after the secret are left out.
    """
    for before in range(3):
        encoded = b2a_base64(bytes(before) + data, newline=False).decode("ascii")
        first, last = -(-8 * before // 6), 8 * (before + len(data)) // 6
        yield encoded[first:last]
        yield encoded[first:last].translate({ord("+"): "-", ord("/"): "_"})


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
    known = _SECRET_WORDS | _AMBIGUOUS_WORDS
    found = {word for word in words if word in known or word.endswith(_ENDINGS)}
    if len(words) > 1 and "pwd" in words:  # PWD itself is the current folder
        found.add("pwd")
    if "connection string" in " ".join(words):
        found.add("connection string")
    return frozenset(found)


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
    wanted = set(names)
    found: set[str] = set()
    for name, value in env.items():
        value = value.strip()  # requests are sent without blanks around the key
        if value and (name in wanted or _holds_secret(name, value)):
            found.update(_parts(value))
        if "://" in value:
            found.update(_passwords(value))
    return found


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

    for found in (*re.finditer(_PASSWORD, value), *re.finditer(_PASSWORD_OPTION, value)):
        yield found.group(1)
        yield unquote(found.group(1))
        yield value


def looks_like_key(text: str) -> bool:
    """Return whether a text looks like a key rather than the name of a variable or a model: it has
    the prefix of a key (`sk-`), a long word of letters and many digits, or a very long word."""
    return re.search(_KEY_LIKE, text) is not None


def without_keys(text: str) -> str:
    """Return a message in which everything that looks like a key is replaced."""
    return re.sub(_KEY_LIKE, REDACTED, text)


def note_key_variables(names: Iterable[str]) -> None:
    """Remember the names of environment variables that hold keys although their names may not show
    it, such as `api_key_env` in the settings."""
    _key_variables.update(names)
    _values.clear()


def own_redactor() -> Redactor:
    """Return a redactor for the secrets that are in the environment now.

    The pytest plugin calls it for every item, because other tests may have set a key meanwhile. So
    it only reads the variables that changed. It compares the undecoded values, because decoding all
    of them would take longer than everything else.
    """
    raw = getattr(os.environ, "_data", None)  # undocumented, but present in every CPython
    if not isinstance(raw, dict):
        return _redactor_of(frozenset(find_secrets(os.environ, _key_variables)))
    for name in {name for name, _ in raw.items() ^ _values.items()}:
        variable = {os.fsdecode(name): os.fsdecode(raw[name])} if name in raw else {}
        _secrets[name] = find_secrets(variable, _key_variables)
        if not _secrets[name]:
            del _secrets[name]
    _values.clear()
    _values.update(raw)
    return _redactor_of(frozenset[str]().union(*list(_secrets.values())))


@lru_cache(maxsize=1)
def _redactor_of(secrets: frozenset[str]) -> Redactor:
    return Redactor(secrets)


def key_variable_count() -> int:
    """Return the number of variables noted so far. When it grows, older redactors are outdated."""
    return len(_key_variables)
