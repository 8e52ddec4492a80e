"""The filled text of a prompt object."""

from __future__ import annotations

import pytest
from extensions.ragas.prompt_objects import TEXT, prompts, river
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import (
    PromptIndexError,
    PromptObjectError,
)
from lve.extensions.ragas.saved_prompt import Prompt


@given(prompt=prompts(), data=st.data())
def test_any_text_can_be_filled_in(prompt: Prompt, data: st.DataObject) -> None:
    values = {key: data.draw(TEXT) for key in prompt.input_keys}
    text = prompt.format(**values).to_string()
    lines = "".join(f"\n{key}: {values[key]}" for key in prompt.input_keys)
    assert text.endswith(f"{lines}\n{prompt.output_key}: \n")


@pytest.mark.parametrize(
    "instruction",
    ["Return {}", 'Return {"a": {"b": 1}}', "{", "}", "{river.x}", "{0}", "{river!r}"],
)
def test_braces_in_the_instruction_stand_as_they_are(instruction: str) -> None:
    text = river(instruction=instruction).format(river="{Nile}").to_string()
    assert text.startswith(instruction + "\n\nriver:")
    assert '{"mouth": "Black Sea"}' in text
    assert text.endswith("\nriver: {Nile}\nanswer: \n")


def test_an_input_key_with_a_colon_at_its_end_is_not_taken_for_another_one() -> None:
    prompt = Prompt(name="p", instruction="Add.", input_keys=["a", "a:"], output_key="sum")
    text = prompt.format(**{"a": "1", "a:": "2"}).to_string()
    assert text == "Add.\n\na: 1\na:: 2\nsum: \n"


def test_an_instruction_that_is_a_template_of_the_inputs_is_filled_as_in_ragas() -> None:
    prompt = river(instruction='About {river}. Return {{"mouth": "..."}}.')
    text = prompt.format(river="Nile").to_string()
    assert text.startswith('About Nile. Return {"mouth": "..."}.\n')
    assert text == prompt.to_string().format(river="Nile")


@pytest.mark.parametrize("number", [1, 7, -2])
def test_there_is_no_such_example(number: int) -> None:
    with pytest.raises(
        PromptIndexError, match=f"example number {number} is out of range"
    ) as caught:
        river().get_example_str(number)
    assert isinstance(caught.value, ValueError)


def test_the_message_names_missing_and_unknown_keys() -> None:
    with pytest.raises(PromptObjectError, match="missing: river; unknown: revir"):
        river().format(revir="Nile")
