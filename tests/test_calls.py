"""Names that decide where keys and requests go, and what an exit says, each of them alone."""

from __future__ import annotations

from support.recorded_calls import Calls, changed, grid, record, texts

from lve.models.http.keys import may_be_sent_to
from lve.secrets import secret_values, spellings
from lve.settings import reserved
from lve.spec import check_names, model_arg_names

TEXTS_OF = texts("top")
NAMES, VARIABLES, VALUES = TEXTS_OF["names"], TEXTS_OF["variables"], TEXTS_OF["values"]
KEYS, HOSTS = TEXTS_OF["keys"], TEXTS_OF["hosts"]


def secrets(name: str, value: str) -> object:
    return secret_values.find_secrets({name: value}, ["NAMED"])


def sent(variable: str) -> list[str] | str:
    """Return the hosts to which a key in a variable may be sent."""
    hosts = [host for host in HOSTS if may_be_sent_to(variable, f"https://{host}/v1", {})]
    return hosts if len(hosts) < len(HOSTS) else "anywhere"


def spelled(secret: str) -> list[str]:
    return sorted(set(spellings.spellings(secret)))


def read(text: str) -> list[object]:
    return [reading.text for reading in spellings.readings(text)]


def misspelt_by_one(name: str) -> list[str | None]:
    return [model_arg_names.misspelt(text) for text in (name, f"{name}e", name[1:])]


def checks() -> Calls:
    configs = (
        {},
        {"name": "a"},
        {"contains": "x"},
        {"contains": "x", "on": "y"},
        {"judge": {"a": 1}},
        {"equals": ["x"]},
    )
    return {
        **grid(check_names.named_check, configs),
        **grid(check_names.hint_for_check, ("contians", "equal", "regexp", "nothing", "is_jsn")),
        **grid(check_names.roles_of, sorted(check_names.CHECKS), ({}, {"of": [{"judge": "x"}]})),
        **{f"module of {name}": module for name, module in check_names.CHECKS.items()},
    }


def all_calls() -> Calls:
    return {
        **grid(reserved.refusal_of_key, NAMES),
        **grid(reserved.refusal_of_model_arg, NAMES),
        **grid(reserved.refusal_of_typed_arg, NAMES),
        **grid(
            reserved.is_folder_elsewhere, ("hf/a", "hf//a", "hf/../a", "hf/~a", "x/../a", "hf/a/..")
        ),
        **grid(model_arg_names.misspelt, NAMES),
        **grid(misspelt_by_one, sorted(model_arg_names.KNOWN_MODEL_ARGS | model_arg_names._OTHERS)),
        **grid(model_arg_names.misspelt_text, NAMES[::9]),
        **grid(secret_values.is_secret_name, VARIABLES),
        **grid(secrets, ("API_KEY", "AUTH", "NAMED", "HOME", "PLAIN"), VALUES),
        **grid(secret_values.looks_like_key, (*VALUES, *KEYS)),
        **grid(secret_values.without_keys, KEYS),
        **grid(sent, VARIABLES),
        **grid(spelled, ("p/w+1 \xe4&<'x",)),
        **grid(read, TEXTS_OF["spelled"]),
        **checks(),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("top", all_calls()) == {}


if __name__ == "__main__":
    record("top", all_calls())
