"""Renders the templates of a site's pages; the only module of the site that writes HTML.

Inserted values are text: special characters of HTML are escaped, invisible characters are made
visible, and keys are left out.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from lve.errors import MissingExtraError
from lve.escape import keyless, visible
from lve.extensions.site.names import path_to_root
from lve.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = "lve.extensions.site"
IMAGES = "img-src data:"  # the page's icon
BAR = 100
"""Width of a bar for 100 %."""


class Renderer:
    """Writes the pages of one site."""

    def __init__(self, title: str) -> None:
        """
        Args:
            title: the site's title.

        Raises:
            MissingExtraError: jinja2 isn't installed.
        """
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

    def page(self, template: str, path: str, values: Mapping[str, object]) -> bytes:
        """Return a rendered page.

        Args:
            template: a file in `templates`.
            path: the page's path in the site.
            values: the template's variables.
        """
        page = self._environment.get_template(template)
        text: str = page.render({**self._shared, "root": path_to_root(path), **values})
        return text.encode("utf-8", "backslashreplace")

    def trusted_html(self, html: str) -> object:
        """Return HTML that lve wrote, for a template to insert unescaped."""
        return self._trusted(keyless(html))

    def data(self, value: object) -> object:
        """Return JSON for a `script` element that holds data. No value can end the element."""
        text = keyless(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        return self._trusted(
            text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        )

    def _shown(self, value: object) -> object:
        """Return a value as a page shows it: escaped, except for lve's own HTML."""
        if isinstance(value, int | float) or hasattr(value, "__html__"):
            return value
        return visible(str(value))

    @staticmethod
    def _trusted(html: str) -> object:
        from markupsafe import Markup

        return Markup(html)


def _environment(finalize: Callable[[object], object]) -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("`lve site` needs jinja2: pip install 'lve[site]'") from error
    environment = Environment(
        loader=PackageLoader(PACKAGE),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": _count, "percent": _percent, "part": _part, "visible": visible}
    return environment


def _count(number: int) -> str:
    return f"{number:,}"


def _percent(share: float) -> str:
    """Return a share in percent; `0%` and `100%` only for exactly 0 and 1."""
    text = f"{share:.0%}"
    if text == "0%" and share > 0:
        return "<1%"
    return ">99%" if text == "100%" and share < 1 else text


def _part(share: float) -> str:
    """Return a share as a width of a bar."""
    return f"{share * BAR:.4g}"


def _file(name: str) -> str:
    return files(PACKAGE).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the source expression that allows a text in a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
