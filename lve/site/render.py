"""Fills the templates of the pages. Whatever a template inserts is text: characters that mean
something in HTML are escaped, those that can't be seen are made visible. Nothing else writes HTML.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lve.errors import MissingExtraError
from lve.escape import visible
from lve.redaction import Redactor
from lve.site.names import path_to_root
from lve.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = "lve.site"
IMAGES = "img-src data:"  # the icon in the browser's tab
BAR = 100
"""Width of a bar that stands for all answers."""


class Renderer:
    """Writes the pages of one site."""

    def __init__(self, title: str, redact: Redactor) -> None:
        """
        Args:
            title: of the site.
            redact: takes secrets out of what the pages say.

        Raises:
            MissingExtraError: the package that fills templates isn't installed.
        """
        self._redact = redact
        self._environment = _environment(self._shown)
        style, script = _file("page/site.css"), _file("page/site.js")
        self._shared = {
            "site_title": title,
            "style": self._trusted(style),
            "script": self._trusted(script),
            "policy": "; ".join(
                (
                    "default-src 'none'",
                    f"style-src {_hash(style)}",
                    f"script-src {_hash(script)}",
                    IMAGES,
                    "base-uri 'none'",
                    "form-action 'none'",
                )
            ),
            "version": __version__,
        }

    def page(self, template: str, path: str, values: Mapping[str, Any]) -> bytes:
        """Return a page.

        Args:
            template: a file of the folder `templates`.
            path: of the page in the site.
            values: what the template inserts.
        """
        found = self._environment.get_template(template)
        text: str = found.render({**self._shared, "root": path_to_root(path), **values})
        return text.encode("utf-8", "backslashreplace")

    def trusted_html(self, html: str) -> object:
        """Return HTML that a template inserts as it is, because lve has written it."""
        return self._trusted(self._redact(html))

    def data(self, value: object) -> object:
        """Return JSON for a `script` element that isn't run. Nothing in it can end the element."""
        text = self._redact(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        return self._trusted(
            text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        )

    def _shown(self, value: object) -> object:
        """Return what stands for a value in a page. HTML that lve wrote stays as it is."""
        if isinstance(value, int | float) or hasattr(value, "__html__"):
            return value
        return self._redact(visible(str(value)))

    @staticmethod
    def _trusted(html: str) -> object:
        from markupsafe import Markup

        return Markup(html)


def _environment(shown: Callable[[object], object]) -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("`lve site` needs jinja2: pip install 'lve[site]'") from error
    environment = Environment(
        loader=PackageLoader(PACKAGE),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": _count, "percent": _percent, "part": _part, "visible": visible}
    return environment


def _count(number: int) -> str:
    return f"{number:,}"


def _percent(share: float) -> str:
    """Return a share in percent: 0 and 100 only where it is just that."""
    text = f"{share:.0%}"
    if text == "0%" and share > 0:
        return "<1%"
    return ">99%" if text == "100%" and share < 1 else text


def _part(share: float) -> str:
    """Return a share of a bar's width."""
    return f"{share * BAR:.4g}"


def _file(name: str) -> str:
    return files(PACKAGE).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return a text as a Content-Security-Policy allows it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
