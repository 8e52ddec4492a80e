"""The prices of a session's models, from options, settings and the tables of known models."""

from __future__ import annotations

from collections.abc import Iterable

from lve.errors import UsageError
from lve.models.chat_model import ChatModel, is_free
from lve.models.known_models import batch_price_of, price_of
from lve.options.run_options import RunOptions
from lve.settings.model_settings import OFFLINE_PROVIDERS, Price
from lve.settings.settings import Settings
from lve.verdicts.summary import Summary


class Prices:
    """Looks up what the tokens of a model cost."""

    def __init__(self, settings: Settings, options: RunOptions) -> None:
        """Args:
        settings: the workspace's.
        options: of the run.
        """
        self._settings = settings
        self._options = options

    def of(self, name: str, *, is_role: bool = False) -> Price | None:
        """Return a model's price; None if it isn't known. Only the settings can give a price to a
        model that was made in Python.

        Args:
            name: the model's name, as the user gave it.
            is_role: whether it has a role, such as `judge`, so that `--base-url` isn't its address.

        Raises:
            SettingsError: the workspace's table of models can't be used.
        """
        if name in self._options.own_models:
            entry = self._settings.models.get(name)
            return entry.price if entry else None
        base_url = None if is_role else self._options.base_url
        find = batch_price_of if self._options.batch and not is_role else price_of
        return find(name, self._settings, base_url=base_url)

    def any(self, names: Iterable[str]) -> bool:
        """Return whether the settings, or one of these models, have a price."""
        in_settings = any(entry.price for entry in self._settings.models.values())
        return in_settings or any(map(self.of, names))

    def check(self, model: ChatModel, price: Price | None, max_cost: float | None = None) -> None:
        """Refuse a model without a price if there is a limit of the cost.

        Args:
            model: the model.
            price: its price; None if it isn't known.
            max_cost: the limit in US dollars; None: that of the options, if any.

        Raises:
            UsageError: it is refused.
        """
        limit = self._options.max_cost if max_cost is None else max_cost
        if limit is None or price is not None or is_free(model):
            return
        own = model.name in self._options.own_models
        raise UsageError(
            f"a limit of the cost needs the price of {model.name}: add to lve.yaml "
            f"`models: {{{model.name}: {{price: {{input: DOLLARS, output: DOLLARS}}}}}}` "
            f"(per million tokens){', or give the model is_free = True' if own else ''}",
            code="price",
        )


def unpriced_models(summary: Summary, settings: Settings) -> tuple[str, ...]:
    """Return the models whose answers have no cost, so that the cost of a session lacks them."""
    names: dict[str, None] = {}
    for tally in summary.tallies.values():
        entry = settings.models.get(tally.model)
        provider = entry.provider if entry else tally.model.partition("/")[0]
        tokens = tally.answers.usage.prompt_tokens + tally.answers.usage.completion_tokens
        if tokens and tally.answers.cost is None and provider not in OFFLINE_PROVIDERS:
            names[tally.model] = None
    return tuple(names)
