"""What templates get: texts that are escaped, data that ends no element, and lve's own HTML."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("jinja2")

from lve.extensions.site.render import Renderer

VALUES: tuple[Any, ...] = (
    *(None, True, 1, 0.5, "", "a", "<b>", "</script>", "&amp;", "\u2028<>&'\""),
    *([], ["<", {"&": ">"}], {"</script><script>": None}),
)


@pytest.mark.parametrize("value", VALUES)
def test_data_is_read_back_and_can_end_no_element(value: Any) -> None:
    written: Any = Renderer("t").data(value)
    assert json.loads(written) == value
    assert not {*str(written)} & {*"<>&"}
    assert written.__html__() == str(written), "it is inserted unescaped"


def test_lves_own_html_is_inserted_unescaped() -> None:
    written: Any = Renderer("t").trusted_html("<b>&</b>")
    assert written.__html__() == "<b>&</b>"


@pytest.mark.parametrize(("value", "shown"), [("<b>", "<b>"), (7, 7), (0.5, 0.5), (None, "None")])
def test_other_values_are_texts_that_the_template_escapes(value: Any, shown: object) -> None:
    written = Renderer("t")._shown(value)
    assert written == shown
    assert not hasattr(written, "__html__")
