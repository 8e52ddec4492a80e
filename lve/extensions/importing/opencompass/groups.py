"""Groups of data sets (`summary_groups`): the key `groups` of their tests.

Upstream's rule is `_calculate_group_metrics` in opencompass/summarizers/default.py. What names a
group of which no data set is in the file has no score there, either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite

from lve.data_classes import dataclass, field
from lve.escape import excerpt, listed
from lve.extensions.importing.groups import GroupScore, Memberships
from lve.extensions.importing.opencompass.conversion import (
    JUDGE,
    PROGRAM,
    SCORE,
    NoCounterpartError,
    short,
)
from lve.extensions.importing.opencompass.data_sets import DataSet, Source, Summarizer
from lve.extensions.importing.opencompass.reading_cost import NotDataError, Work
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple
from lve.spec.check_names import SCORER

MAX_TESTS = 500
MAX_NAME = 200
"""Tests of a group, and characters of its name and of a test's score, as in the schema."""
MAX_WEIGHT = 1e9
PASS_RATE, MEAN_SCORE, MAIN_SCORE = "pass rate", "mean score", "main score"
"""What counts of a test (`lve.extensions.breakdown.groups`)."""
_SCORES = frozenset(
    (
        *("AGIEvalEvaluator_mcq", "BBHEvaluator", "BBHEvaluator_mcq", "BabiLongEvaluator"),
        *("CharmReasonEvaluator", "EMEvaluator", "LongBenchClassificationEvaluator"),
        *("LongBenchCodeSimEvaluator", "LongBenchCountEvaluator", "LongBenchF1Evaluator"),
        *("LongBenchRetrievalEvaluator", "LongBenchRougeEvaluator", "MBPPEvaluator"),
        *("MRCREvaluator", "NQEvaluator", "NeedleBenchATCEvaluator", "NeedleBenchMultiEvaluator"),
        *("NeedleBenchOriginEvaluator", "RulerCweEvaluator", "RulerFweEvaluator"),
        *("RulerNiahEvaluator", "RulerQaEvaluator", "RulerVtEvaluator", "SQuAD20Evaluator"),
        *("TriviaQAEvaluator", "needlebench_v2.NeedleBenchOriginEvaluator"),
    )
)
"""Evaluators that call their mean `score`."""
_METRICS = {
    "HumanEvalEvaluator": "humaneval_pass@1",
    "LVEvalF1Evaluator": "f1",
    "LVEvalOPTF1Evaluator": "LVEval_f1",
    "LVEvalOPTRougeEvaluator": "LVEval_rouge",
    "MBPPPassKEvaluator": "pass@1",
    "RougeEvaluator": "rouge1",
    "TydiQAEvaluator": "f1",
}
"""Evaluators with other names for what lve reports; the rest has `accuracy`."""
_MINOR = {"CircularEvaluator": "acc_4", "NeedleBenchParallelEvaluator": "average_score"}
"""Evaluators whose mean in lve is a score that upstream doesn't show first."""
_READINGS = ("generic_llmjudge_postprocess", "generic_llmjudge_academic_postprocess", "cascade")
"""What gives the accuracy of a judge's replies."""
_FORMS = {"standard_deviation": "deviation", "harmonic_mean": "harmonic_mean"}
_LABELS = (("std", "standard_deviation"), ("sum", "sum"), ("weights", "weighted_average"))
_SUMMARIZERS = ("", "DefaultSummarizer", "MultiFacetedSummarizer")

_Wanted = tuple[str, str | None]
"""A data set or a group, and its metric; None: the main one."""
Part = Mapping[tuple[str, str], float]
"""A score as a sum: (folder of a test, what counts of it) -> what that is multiplied by."""


@dataclass(slots=True)
class _Entry:
    """A data set or a group that groups name."""

    main: str
    """Its metric that counts where none is named."""
    parts: dict[str, Part | None] = field(default_factory=dict)
    """Metric -> the score; None if it is no sum."""
    scorer: str = ""
    """The folder of a test whose scores are known only when it has run."""

    def part(self, name: str, metric: str | None) -> Part:
        """Return a score.

        Raises:
            NoCounterpartError: it can't be part of another.
        """
        key = self.main if metric is None else metric
        if key not in self.parts and self.scorer and metric:
            return {(self.scorer, metric): 1}
        part = self.parts.get(key)
        if part is None:
            own = listed([*self.parts]) or "nothing"
            raise NoCounterpartError(f"of {excerpt(name)}, lve has {own}, and nothing else adds up")
        return part


class Member(NamedTuple):
    """A test that groups may have."""

    folder: str
    document: JsonObject

    def entry(self) -> _Entry | None:
        """Return what groups may name of it; None of a test that nothing judges."""
        check = self.document.get("check")
        if "skip" in self.document:
            return None
        if not isinstance(check, dict):  # a choice, or a rule and a judge
            return _Entry("accuracy", {"accuracy": {(self.folder, PASS_RATE): 1}})
        if SCORER in check:
            return _Entry("", {"": {(self.folder, MAIN_SCORE): 1}}, self.folder)
        if JUDGE in check and short(check.get("dict_postprocessor")) not in _READINGS:
            return _Entry("score")
        counts = MEAN_SCORE if SCORE in check else PASS_RATE
        kind = str(check.get(SCORE) or check.get(PROGRAM))
        metric = "score" if kind in _SCORES else _METRICS.get(kind, "accuracy")
        own: Part = {(self.folder, counts): 1}
        if kind in _MINOR:
            return _Entry("another", {_MINOR[kind]: own})
        return _Entry(metric, {metric: own})


MemberOf = Callable[[DataSet], Member | None]


def memberships_of(source: Source, member_of: MemberOf) -> Memberships:
    """Return the groups of all summarizers, and tell what is left out of them.

    Args:
        source: the configurations, whose data sets have been read.
        member_of: returns the test of a data set; None if there is none.
    """
    memberships = Memberships()
    for summarizer in source.summarizers:
        try:
            for score in _scores(summarizer, member_of):
                why = score if isinstance(score, NoCounterpartError) else memberships.add(score)
                if why:
                    source.leave_out(summarizer.file, summarizer.line, excerpt(why, 300))
        except NotDataError as error:
            source.leave_out(summarizer.file, summarizer.line, f"the groups: {error}")
    return memberships


def _scores(
    summarizer: Summarizer, member_of: MemberOf
) -> Iterator[GroupScore | NoCounterpartError]:
    if (kind := short(summarizer.config.get("type") or "")) not in _SUMMARIZERS:
        yield NoCounterpartError(f"the summarizer {kind}: reports have the score of each data set")
        return
    entries: dict[str, _Entry] = {}
    for data_set in summarizer.data_sets:
        member = member_of(data_set)
        entry = member.entry() if member else None
        if entry is not None:
            is_twice = data_set.abbr in entries
            entries[data_set.abbr] = _Entry("one of two of this name") if is_twice else entry
    work = Work()
    groups = summarizer.config.get("summary_groups")
    for group in groups if isinstance(groups, list) else ():
        config = group if isinstance(group, dict) else {}
        try:
            score = _Group(config, entries, work).score()
        except NoCounterpartError as error:
            yield NoCounterpartError(f"of the group {excerpt(str(config.get('name')))}, {error}")
            continue
        if score is not None:
            yield score


class _Group:
    """A group of a summarizer."""

    def __init__(self, config: JsonObject, entries: dict[str, _Entry], work: Work) -> None:
        self.config, self.entries, self.work = config, entries, work
        subsets = config.get("subsets")
        each = subsets if isinstance(subsets, list) else []
        self.names = [item if isinstance(item, str) else None for item in each]
        self.pairs = [item for item in each if isinstance(item, list) and len(item) == 2]
        self.is_valid = bool(each) and len(each) == len(
            self.pairs or list(filter(None, self.names))
        )

    @property
    def label(self) -> str:
        """What its score is called, which also says how it is put together."""
        if metric := self.config.get("metric"):
            return str(metric)
        labels = (*_LABELS, ("harmonic_mean", "harmonic_mean"))
        return next((label for key, label in labels if self.config.get(key)), "naive_average")

    def score(self) -> GroupScore | None:
        """Return the score, which other groups may name from now on; None if nothing of it is here.

        Raises:
            NoCounterpartError: it can't be carried.
        """
        name = self.config.get("name")
        if not (self.is_valid and isinstance(name, str) and name):
            raise NoCounterpartError("which has no name or no subsets, or both kinds of them")
        pairs = [(str(of), str(metric)) for of, metric in self.pairs]
        references: list[_Wanted] = [*pairs] or [(of, None) for of in self.names if of is not None]
        absent = [of for of, _ in references if of not in self.entries]
        if len(absent) == len(references):
            return None
        label = self.label
        quoted = excerpt(label)
        if absent:
            raise NoCounterpartError(f"{quoted}: not all its tests can be had: {listed(absent)}")
        if max(len(name), len(label)) > MAX_NAME:
            raise NoCounterpartError(f"its name has more than {MAX_NAME} characters")
        if self._transforms({of for of, _ in references}):
            raise NoCounterpartError(f"{quoted}: its transforms are code")
        try:
            score, own = self._put_together(name, references)
        except NoCounterpartError as error:
            raise NoCounterpartError(f"{quoted}: {error}") from None
        common = [] if pairs else self._common([of for of, _ in references])
        main = common[0] if len(common) == 1 else label  # of several, upstream takes any
        entry = self.entries.setdefault(name, _Entry(main))
        for metric in common:
            with suppress(NoCounterpartError):
                entry.parts[metric] = None
                entry.parts[metric] = self._put_together(
                    name, [(of, metric) for of, _ in references]
                )[1]
        entry.parts[label] = own
        return score

    def _transforms(self, names: set[str]) -> bool:
        every = self.config.get("transforms")
        return isinstance(every, dict) and any(every.get(of, "x") != "x" for of in names)

    def _common(self, names: Sequence[str]) -> list[str]:
        """Return the metrics that all have: upstream gives the group these, too."""
        own = [{key for key, part in self.entries[of].parts.items() if part} for of in names]
        return sorted(set.intersection(*own) - {""}) if own else []

    def _put_together(
        self, name: str, references: Sequence[_Wanted]
    ) -> tuple[GroupScore, Part | None]:
        """Return a score of the group, and the same as a sum; None if it is none."""
        parts = [self.entries[of].part(of, metric) for of, metric in references]
        sizes = self._sizes(references)
        whole = 1.0 if self.label == "sum" else float(sum(sizes))
        if not whole or not isfinite(whole):
            raise NoCounterpartError("its weights can't be added up")
        merged: dict[tuple[str, str], float] = {}
        for part, size in zip(parts, sizes, strict=True):
            self.work.step(len(part))
            for key, times in part.items():
                merged[key] = merged.get(key, 0.0) + times * size / whole
        tests = dict(merged.keys())
        if len(tests) < len(merged):
            raise NoCounterpartError("it has two scores of one test")
        if len(tests) > MAX_TESTS or any(len(counts) > MAX_NAME for counts in tests.values()):
            raise NoCounterpartError(f"it has more than {MAX_TESTS} tests, or too long names")
        if any(abs(times) > MAX_WEIGHT for times in merged.values()):
            raise NoCounterpartError(f"its weights go above {MAX_WEIGHT:g}")
        is_plain = len(tests) == len(parts) and all([*part.values()] == [1] for part in parts)
        form: dict[str, JsonValue] = {"percent": True}
        weights: Mapping[str, float] = {}
        if self.label in _FORMS:
            if not is_plain:
                raise NoCounterpartError("it is of other groups, and no sum")
            form |= {"form": _FORMS[self.label]}
        elif is_plain and self.label != "sum":
            form |= {"by_size": False}
            if self.config.get("weights"):
                weights = dict(zip(tests, sizes, strict=True))
        else:
            form |= {"form": "sum"}
            weights = dict(zip(tests, merged.values(), strict=True))
        score = GroupScore(name, self.label, tests, form, weights)
        return score, None if self.label in _FORMS else merged

    def _sizes(self, references: Sequence[_Wanted]) -> list[float]:
        """Return how much each counts.

        Raises:
            NoCounterpartError: upstream couldn't say, either.
        """
        weights = self.config.get("weights")
        if not weights or self.label in _FORMS:
            return [1] * len(references)
        each = weights if isinstance(weights, dict) else {"": None}
        mains = [self.entries[of].main if metric is None else metric for of, metric in references]
        keys = [(f"{of}@{main}", of) for (of, _), main in zip(references, mains, strict=True)]
        numbers = [w for w in each.values() if isinstance(w, int | float) and abs(w) <= MAX_WEIGHT]
        if len(numbers) < len(each) or not set(each) <= {key for pair in keys for key in pair}:
            raise NoCounterpartError("its weights aren't numbers of its subsets")
        return [each.get(full, each.get(of, 0)) for full, of in keys]  # type: ignore[misc]
