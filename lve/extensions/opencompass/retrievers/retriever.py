"""The base class of retrievers, what they choose from, and what they return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from lve.data_classes import dataclass
from lve.errors import TemplateError
from lve.escape import head
from lve.extensions.opencompass.data.tables import Reader, Table
from lve.extensions.opencompass.retrievers.embedding import Choose, VectorIndex
from lve.extensions.opencompass.retrievers.slow_select import Select
from lve.prompts.size import MAX_EXAMPLES


@dataclass(frozen=True)
class ModelChoice:
    """Chooses examples with the help of a model."""

    needs: str
    """What the model has to provide, such as `vectors of MODEL`."""
    choose: Choose


MAX_STEPS = 50_000_000
"""Examples that may be shuffled for all rows (upstream shuffles all of them for each row), or
occurrences of words that are added up for one: about ten seconds."""
LabelTexts = Callable[..., tuple[str, list[str]]]
"""Row, positions of examples, and `labels=` (None: those of the test) -> the examples as text, and
the prompt per label."""


@dataclass(frozen=True)
class Examples:
    """The examples that retrievers choose from."""

    train: Table
    reader: Reader
    dialect: str = "opencompass"
    test: Table | None = None
    texts: LabelTexts | None = None
    """Renders examples and prompts as text, for `MDLRetriever`, which scores them."""

    def index(self, model: str | None, retriever: str) -> VectorIndex:
        """Return the examples as vectors of a model; `retriever` is a name for messages."""
        test = self.test if self.test is not None else self.train
        return VectorIndex(model, self.train, test, self.reader, retriever)


@dataclass(frozen=True, kw_only=True)
class Retriever(ABC):
    """Chooses examples. Its fields are the arguments of `retriever` in the test document."""

    ice_separator: str = "\n"
    """Separates examples that are texts."""
    ice_eos_token: str = "\n"
    """Follows the last example."""

    @abstractmethod
    def prepare(self, examples: Examples) -> Select | ModelChoice:
        """Return the function or `ModelChoice` that chooses the examples of a test row.

        Raises:
            TemplateError: stage `retriever` or `retrieve`.
        """


def whole_number(value: object, name: str, *, most: int = MAX_EXAMPLES) -> int:
    """Return an argument that must be a whole number from 0 to `most`.

    Raises:
        TemplateError: it isn't; stage `retrieve`.
    """
    if not isinstance(value, int) or value < 0:
        raise retrieve_error(f"`{name}` must be a whole number from 0, not {head(repr(value), 60)}")
    if value > most:
        raise retrieve_error(f"`{name}` can't be more than {most:,}")
    return value


def seed_number(value: object) -> int:
    """Return an argument that must be a seed of numpy's; errors as `whole_number`."""
    if isinstance(value, int) and 0 <= value < 2**32:
        return int(value)
    raise retrieve_error("`seed` must be a number from 0 to 4294967295")


def retrieve_error(message: str) -> TemplateError:
    return TemplateError(message, stage="retrieve")
