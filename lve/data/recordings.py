"""Tells the rows of a test by their args, where several of its recorded answers are of one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from lve.errors import Problem
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS
from lve.spec.recorded_row import args_key, row_key
from lve.spec.spec import Instance, Spec


class _Repeats:
    """How many recorded answers a row has, where it has several."""

    __slots__ = ("answers", "by_model", "most")

    def __init__(self, first: str | None) -> None:
        """`first` is the model of the first answer."""
        self.answers = self.most = 1
        self.by_model: dict[str | None, int] = {first: 1}

    def add(self, model: str | None) -> None:
        """Count one more answer."""
        self.answers += 1
        self.by_model[model] = times = self.by_model.get(model, 0) + 1
        self.most = max(self.most, times)


class Recordings:
    """The recorded answers of a test that were read so far: some 100 bytes per different args, 500
    with model args, and 1,000 if columns that aren't parameters differ.

    A row is recorded if an answer has its args, or its args and further model args, which
    `lve record --model-arg` adds.
    """

    def __init__(
        self, spec: Spec, rows: Callable[[], Iterable[Instance | Problem]], *, once: bool
    ) -> None:
        """Args:
        spec: the test.
        rows: reads the rows without an answer, wherever they stand; needed only if answers have
            further model args.
        once: whether only the first recorded answer of a row is used.
        """
        self._spec = spec
        self._read_rows = rows
        self._once = once
        self._others: dict[int, frozenset[int]] = {}
        """Key of args -> those that aren't parameters; without the args that have none."""
        self._kinds: dict[frozenset[int], frozenset[int]] = {}
        """Each of these once, because most recordings have the same model args."""
        self._keys: dict[int, list[int]] = {}
        """Hash of the key of parameters, and one of the others or 0 -> keys of args."""
        self._claims: Counter[tuple[int, int]] | None = None
        self._first: dict[int, str | None] = {}
        """Key of args -> the model of their first answer; None if it doesn't matter."""
        self._repeats: dict[int, _Repeats] = {}
        """Key of the args that have several answers -> these."""
        self._rows = Counter[int]()
        self._seen = Counter[int]()

    def add(self, instance: Instance) -> bool:
        """Count a recorded answer, and number it as a repeat of its row. Return whether it is used.

        Args:
            instance: has a recorded answer.
        """
        args = instance.row = row_key(instance.args)
        if args in self._first:
            return not self._once and self._add_repeat(args, instance)
        self._first[args] = None if self._once else _model_of(instance)
        if len(instance.args) != len(instance.parameters) and (others := _others_of(instance)):
            self._others[args] = self._kinds.setdefault(others, others)
            parameters = row_key(instance.parameters)
            for other in (0, *others):
                self._keys.setdefault(hash((parameters, other)), []).append(args)
        return True

    def _add_repeat(self, args: int, instance: Instance) -> bool:
        repeats = self._repeats.get(args)
        if repeats is None:
            repeats = self._repeats[args] = _Repeats(self._first[args])
        instance.repeat = repeats.answers
        repeats.add(_model_of(instance))
        return True

    def has_row(self, row: Instance) -> bool:
        """Whether a row with the same args was there before; counts it. (To an attack, several
        models' answers are one row.)"""
        args = row_key(row.args)
        self._seen[args] += 1
        return self._seen[args] > 1

    def empty(self) -> Recordings:
        """Return one that has counted no answers. No row is recorded in both."""
        other = Recordings(self._spec, self._read_rows, once=self._once)
        other._rows = self._rows
        return other

    def take(self, row: Instance) -> bool:
        """Whether a row is recorded. Of rows with equal args, as many are as a model's answers
        suffice for with the test's `repeats`, and at least one."""
        if not self._first:
            return False
        args = row_key(row.args)
        before = self._rows[args]
        if before >= self._suffices_for(args) and before >= self._suffices_with_more(row, args):
            return False
        self._rows[args] += 1
        return True

    def _suffices_for(self, args: int) -> int:
        """Return for how many rows the answers to these args suffice."""
        if args not in self._first:
            return 0
        repeats = self._repeats.get(args)
        return 1 if repeats is None else max(repeats.most // self._spec.repeats, 1)

    def _suffices_with_more(self, row: Instance, args: int) -> int:
        """Return for how many rows like this one the answers to its args with more model args
        suffice. Rows that share more of these model args come first: an answer is theirs."""
        most, shared = 0, len(_others_of(row)) if self._others else 0
        for key in self._with_more(row, args):
            claims = self._claimed()
            numbers = range(shared + 1, len(self._others[key]) + 2)
            claimed = sum(claims[key, number] for number in numbers)
            most = max(most, self._suffices_for(key) - claimed)
        return most

    def _with_more(self, row: Instance, args: int) -> Iterator[int]:
        """Yield the recorded args that are the row's with more model args."""
        if not self._others:
            return
        parameters, others = row_key(row.parameters), _others_of(row)
        lists = (self._keys.get(hash((parameters, other)), []) for other in others or (0,))
        for key in min(lists, key=len):
            if key != args and others <= self._others[key]:
                yield key

    def _claimed(self) -> Counter[tuple[int, int]]:
        """Return recorded args, and how many model args are shared -> rows that share so many.
        A row with just these args counts as sharing one more."""
        if self._claims is None:
            self._claims = Counter()
            for row in self._read_rows():
                if isinstance(row, Problem):
                    continue
                args, shared = row_key(row.args), len(_others_of(row))
                self._claims.update((key, shared) for key in self._with_more(row, args))
                if args in self._others:
                    self._claims[args, shared + 1] += 1
        return self._claims

    def without(self, rows: Iterable[Instance | Problem]) -> Iterator[Instance | Problem]:
        """Yield the rows that aren't recorded, and what isn't a row."""
        yield from (row for row in rows if isinstance(row, Problem) or not self.take(row))


def _model_of(instance: Instance) -> str | None:
    return instance.recorded.model if instance.recorded else None


def _others_of(instance: Instance) -> frozenset[int]:
    """Return a number for each filled arg of a row that isn't a parameter, and its value.

    An empty cell of a model arg isn't filled."""
    if len(instance.args) == len(instance.parameters):
        return frozenset()
    others = {
        name: value
        for name, value in instance.args.items()
        if value is not None and name not in instance.parameters and name not in KNOWN_MODEL_ARGS
    }
    filled = {**others, **instance.model_args}
    return frozenset(hash(args_key({name: value})) for name, value in filled.items())
