"""The settings of a workspace, as values. `lve.spec.settings_file` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lve.errors import UsageError
from lve.named_tuples import NamedTuple
from lve.settings.model_settings import ModelSettings, WorkerShape

if TYPE_CHECKING:
    from lve.settings.programs import ToolServer
    from lve.settings.trusted_file import TrustedFile

BASELINE = "lve.baseline.json"
CALIBRATION_FOLDER = "lve.calibrations"


class AppFiles(NamedTuple):
    """The folders of the application whose files tests may use as `@/FOLDER/FILE` (`files` in the
    settings)."""

    root: Path
    """The workspace whose settings these are."""
    folders: tuple[str, ...]
    """Relative to the root, with `/`."""
    withheld: tuple[str, ...] = ()
    """Those that only runs in that workspace may use, and this is none."""


class Caps(NamedTuple):
    """The maintainer's limits (`caps` and `files` in the settings). No test document can exceed
    them."""

    max_tokens: int | None = None
    repeats: int = 100
    rows: int | None = None
    tool_turns: int = 50
    user_turns: int = 50
    files: AppFiles | None = None
    """None: tests use no files but those in their folders."""


class Floor(NamedTuple):
    """The agreement with people that a check needs for its verdicts to count. None: no minimum."""

    kappa: float | None = None
    tpr: float | None = None
    """True positive rate."""
    tnr: float | None = None
    """True negative rate."""
    labels: int | None = None
    """Minimum number of labels of each kind."""


class CalibrationSettings(NamedTuple):
    """The key `calibration` of the settings."""

    folder: str = CALIBRATION_FOLDER
    """Folder of the calibrations, relative to the workspace root."""
    floor: Floor = Floor()
    required: bool = False
    """Whether judges without a valid calibration are advisory."""


class ComparisonSettings(NamedTuple):
    """The key `comparison` of the settings."""

    alpha: float = 0.05
    """Significance level: the probability of reporting any difference if there is none."""
    threshold: float = 0.0
    """A pass rate may drop by this much without being a regression, however significant."""
    baseline: str = BASELINE
    """File of the baseline, relative to the workspace root."""
    gate: str = "auto"
    """What counts as a regression: `significant`, `any` (every broken row), or `auto` (every broken
    row of a suite that is too small for significance)."""
    max_broken: int | None = None
    """How many results may break; None: `gate` decides."""
    resolution: float = 0.1
    """The drop of the pass rate that a gate by significance must be able to see."""
    allow_missing: bool = False
    """Whether results of before may be missing now, or have lost their verdict."""

    def with_chosen(self, **chosen: float | str | None) -> ComparisonSettings:
        """Return the settings with the fields that an invocation chose; None: it didn't.

        `gate` and `max_broken` exclude each other, so that choosing one drops the other.

        Raises:
            UsageError: both are chosen.
        """
        fields: dict[str, Any] = {
            name: value for name, value in chosen.items() if value is not None
        }
        if {"gate", "max_broken"} <= fields.keys():
            raise UsageError(
                "--gate and --max-broken exclude each other: --max-broken N lets N results break",
                code="conflicting_options",
            )
        if "gate" in fields:
            fields.setdefault("max_broken", None)
        return self._replace(**fields)


NO_CLUSTER = "off"
"""The value of `ray` that means: no cluster, whatever the settings say."""


class Settings(NamedTuple):
    """The content of `lve.yaml` or `[tool.lve]`."""

    file: Path | None = None
    models: Mapping[str, ModelSettings] = {}
    model: str | None = None
    """The model for tests that name none."""
    roles: Mapping[str, str] = {}
    """Role -> model."""
    role_budgets: Mapping[str, Mapping[str, Any]] = {}
    """Role -> its budget (`max_cost`, ...). Roles without a budget are left out."""
    caps: Caps = Caps()
    trust: tuple[TrustedFile, ...] = ()
    sandbox: Literal["best", "required"] = "best"
    """`required`: trusted code runs only in a complete sandbox. `best`: in whatever layers of it
    the machine has."""
    plugins: tuple[str, ...] = ()
    """Names of plugins that tests may use."""
    known_models: Path | None = None
    """The workspace's own table of models, `lve.models.json`, if there is one."""
    tool_servers: Mapping[str, ToolServer] = {}
    cache: str | None = None
    """URL of a team's store of completions; None: a file in `.lve`."""
    allow_downloads: bool = False
    """Whether data sets and models may be downloaded from the Hugging Face hub."""
    calibration: CalibrationSettings = CalibrationSettings()
    comparison: ComparisonSettings = ComparisonSettings()
    by: tuple[str, ...] = ()
    """As `Spec.by`, for tests that don't say."""
    attacks: bool = True
    """Whether tests may be attacked."""
    ray: str | None = None
    """Address of the Ray cluster that runs use; None: they run in this process."""
    worker: WorkerShape | None = None
    is_own: bool = True
    """Whether the current folder is in this workspace. The settings of other workspaces can't trust
    code or send keys."""

    def entry(self, model: str) -> ModelSettings | None:
        """Return a model's settings, or those that its name implies (`hf/...`), or None."""
        settings = self.models.get(model)
        if settings is None and model.startswith("hf/"):
            return ModelSettings(provider="hf")
        return settings
