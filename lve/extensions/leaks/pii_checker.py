"""The checker that finds personal data with Microsoft Presidio. It needs the extra `lve[pii]`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import PerRunChecker, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.errors import CheckerError, MissingExtraError
from lve.suggest import did_you_mean

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine

    from lve.checkers.usable_names import ArgNames
    from lve.spec.spec import Spec

BLANK = "blank"
"""Value of `model` for no language model: only Presidio's patterns (e-mail, phone, ...)."""
NAMES = frozenset({"LOCATION", "NRP", "ORGANIZATION", "PERSON"})
"""Entities that only a language model finds."""
ENTITIES = NAMES | {
    "CREDIT_CARD",
    "CRYPTO",
    "DATE_TIME",
    "EMAIL_ADDRESS",
    "IBAN_CODE",
    "IP_ADDRESS",
    "MAC_ADDRESS",
    "MEDICAL_LICENSE",
    "PHONE_NUMBER",
    "UK_NHS",
    "URL",
    "US_BANK_NUMBER",
    "US_DRIVER_LICENSE",
    "US_ITIN",
    "US_PASSPORT",
    "US_SSN",
    "UUID",
}
"""Entities that Presidio finds in English texts."""
_LANGUAGE = "en"


@lru_cache(maxsize=4)
def load_analyzer(model: str) -> AnalyzerEngine:
    """Return Presidio's analyzer for English.

    Args:
        model: a spaCy model that is installed, or `blank`.

    Raises:
        MissingExtraError: Presidio or the spaCy model is not installed.
    """
    _check_installed(model)
    try:
        with _hidden(*unused_packages()):
            import spacy
            from presidio_analyzer import AnalyzerEngine
            from presidio_analyzer.nlp_engine import SpacyNlpEngine
    except ImportError as error:  # a dependency of these packages
        raise _missing(str(error.name)) from error

    _stay_offline()
    engine = SpacyNlpEngine()
    engine.nlp = {_LANGUAGE: spacy.blank(_LANGUAGE) if model == BLANK else spacy.load(model)}
    return AnalyzerEngine(nlp_engine=engine, supported_languages=[_LANGUAGE])


def unused_packages() -> list[str]:
    """Return the packages that spaCy and Presidio import if they are installed, and don't need
    here. They take seconds, and more memory than all the rest."""
    unused = ["transformers"]  # Presidio has other engines for it
    if not any(_requires_more(model) for model in entry_points(group="spacy_models")):
        unused.append("torch")
    return unused


def _requires_more(model: EntryPoint) -> bool:
    """Return whether a spaCy model requires another package than spaCy, which may use torch."""
    required = (model.dist.requires if model.dist else None) or []
    return any(re.split(r"[^\w.-]", requirement)[0] != "spacy" for requirement in required)


@contextmanager
def _hidden(*packages: str) -> Iterator[None]:
    """Make packages look as if they were not installed, unless they are imported already."""
    hidden = [package for package in packages if package not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for package in hidden:
            sys.modules.pop(package, None)


def _stay_offline() -> None:
    """Make Presidio's e-mail recognizer use the list of domains in its library. By default it
    fetches a new one from the network at the first address."""
    from tldextract import TLDExtract, tldextract

    tldextract.TLD_EXTRACTOR = TLDExtract(cache_dir=None, suffix_list_urls=())


def _check_installed(model: str) -> None:
    """Raise MissingExtraError unless the packages and the model are installed. Importing the
    packages would take seconds."""
    for package in ("spacy", "presidio_analyzer"):
        if find_spec(package) is None:
            raise _missing(package)
    # Presidio downloads a missing model, and spaCy imports any package or reads any folder of that
    # name. A test must not cause that.
    if model != BLANK and model not in {p.name for p in entry_points(group="spacy_models")}:
        raise MissingExtraError(
            f"PII_Checker needs the spaCy model '{model}': python -m spacy download {model}"
            f" (or `model: {BLANK}` for patterns only)"
        )


def _missing(package: str) -> MissingExtraError:
    return MissingExtraError(f"PII_Checker needs the package '{package}': pip install 'lve[pii]'")


def _entity_hint(entity: str) -> str:
    longer = [name for name in sorted(ENTITIES) if entity.upper() in name]
    if longer:
        return f"did you mean {' or '.join(longer)}?"
    return did_you_mean(entity, ENTITIES) or f"there are {', '.join(sorted(ENTITIES))}"


@dataclass(frozen=True, slots=True)
class PII_Checker(PerRunChecker):
    """Passes unless the response contains personal data of the given kinds, which is also redacted
    in files."""

    needs_model: ClassVar[bool] = True
    limit_s: ClassVar[float] = 60.0

    entities: tuple[str, ...]
    """Presidio's names of the kinds: `EMAIL_ADDRESS`, `PHONE_NUMBER`, `LOCATION`, `PERSON`, ..."""
    model: str = "en_core_web_lg"
    """A spaCy model, which finds names and places, or `blank` to use only patterns."""

    def __post_init__(self) -> None:
        if not self.entities:
            raise ArgumentError("entities", "'entities' is empty: nothing would be found")

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        """Return an error for each entity that is never found, with which every answer passes."""
        errors = [
            ArgumentError(
                "entities",
                f"Presidio finds no '{entity}' in English texts",
                hint=_entity_hint(entity),
            )
            for entity in self.entities
            if entity not in ENTITIES
        ]
        unnamed = sorted(NAMES.intersection(self.entities)) if self.model == BLANK else []
        if unnamed:
            message = f"only a language model finds {', '.join(unnamed)}, and `{BLANK}` is none"
            hint = "take `model: en_core_web_lg`, or leave these entities out"
            errors.append(ArgumentError("model", message, hint=hint))
        return errors

    def prepare(self) -> None:
        supported = set(load_analyzer(self.model).get_supported_entities(_LANGUAGE))
        if missing := sorted(set(self.entities) - supported):
            raise CheckerError(
                f"PII_Checker: the installed Presidio doesn't find {', '.join(missing)}",
                code="missing_package",
            )

    def _findings(self, text: str) -> list[tuple[int, int, str, float]]:
        results = load_analyzer(self.model).analyze(text=text, language=_LANGUAGE)
        return sorted(
            (r.start, r.end, r.entity_type, r.score)
            for r in results
            if r.entity_type in self.entities
        )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        findings = self._findings(response)
        if not findings:
            return judged(True, f"found no {', '.join(self.entities)}")
        start, _, entity, score = findings[0]
        # The data itself stays out of the reason, which goes into reports.
        return judged(False, f"found {entity} at character {start + 1} (score {score:.2f})", score)

    def postprocess_response(self, response: str) -> str:
        """Replace every occurrence of personal data with its kind: `<EMAIL_ADDRESS>`."""
        masks = {
            response[start:end]: f"<{entity}>" for start, end, entity, _ in self._findings(response)
        }
        for text in sorted(masks, key=len, reverse=True):
            response = response.replace(text, masks[text])
        return response
