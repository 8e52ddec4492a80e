"""Computes log-probabilities of token sequences; a common prefix is computed only once.

The prompts for the labels of a row differ only in their last words, and the prompts of all rows
begin with the same examples. With the tree, each common prefix is computed only once.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from inspect import signature

from lve.data_classes import dataclass
from lve.extensions.hf.torch_types import Cache, Network, Tensor

MIN_SHARED_TOKENS = 16
"""Minimum length of a node: as a separate step, a shorter one takes more time than it saves."""


@dataclass(frozen=True, slots=True)
class Node:
    """Tokens from `start` to `end` that several sequences share, or the rest of one sequence."""

    tokens: Sequence[int]
    """One of the sequences, as a whole."""
    start: int
    end: int
    members: tuple[int, ...]
    """Indexes of the sequences."""
    children: tuple[Node, ...] = ()
    """Empty for a leaf, which has exactly one member."""

    @property
    def segment(self) -> Sequence[int]:
        """The tokens of this node alone; never empty."""
        return self.tokens[self.start : self.end]


def prefix_tree(
    sequences: Sequence[Sequence[int]], *, least: int = MIN_SHARED_TOKENS
) -> list[Node]:
    """Return the roots of the tree. The segments from a root to a leaf make up one sequence.

    Args:
        sequences: the sequences, none of them empty.
        least: minimum length of a shared segment.
    """
    return _nodes(sequences, range(len(sequences)), 0, least)


def padded_width(nodes: Sequence[Node]) -> int:
    """Return the length of the longest path if the nodes of each level are padded to one length."""
    width = 0
    while nodes:
        width += max(len(node.segment) for node in nodes)
        nodes = [child for node in nodes for child in node.children]
    return width


def _nodes(
    sequences: Sequence[Sequence[int]], members: Iterable[int], start: int, least: int
) -> list[Node]:
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    nodes = []
    for member in members:
        # The last token belongs to the leaf, so that no leaf is empty.
        head = tuple(sequences[member][start : start + least])
        if len(head) == least and len(sequences[member]) > start + least:
            groups[head].append(member)
        else:
            nodes.append(_leaf(sequences, member, start))
    for group in groups.values():
        if len(group) == 1:
            nodes.append(_leaf(sequences, group[0], start))
        else:
            nodes.append(_inner(sequences, group, start, least))
    return nodes


def _leaf(sequences: Sequence[Sequence[int]], member: int, start: int) -> Node:
    tokens = sequences[member]
    return Node(tokens, start, len(tokens), (member,))


def _inner(
    sequences: Sequence[Sequence[int]], members: Sequence[int], start: int, least: int
) -> Node:
    # The common prefix of the first and the last sequence in sorted order is common to all.
    ordered = [tuple(sequences[member]) for member in members]
    first, last = min(ordered), max(ordered)
    longest = min(map(len, ordered)) - 1
    end = start + least
    while end < longest and first[end] == last[end]:
        end += 1
    children = tuple(_nodes(sequences, members, end, least))
    return Node(first, start, end, tuple(members), children)


@dataclass(frozen=True, slots=True)
class _Past:
    """The network's state after the parent nodes, with one row per node."""

    cache: Cache
    mask: Tensor
    """1 for the cache's positions with tokens, 0 for padding of shorter rows."""
    last_logits: Tensor
    """The logits after the last token of each row."""

    @property
    def length(self) -> int:
        return int(self.mask.shape[1])


class PromptScorer:
    """Computes log-probabilities with one network."""

    def __init__(self, network: Network, *, batch_tokens: int) -> None:
        """Args:
        network: a causal language model of transformers.
        batch_tokens: maximum number of tokens of a batch, including padding.
        """
        self._network = network
        self._batch_tokens = batch_tokens
        # The state of a recurrent network has no positions, so padding can't be masked.
        self._is_recurrent = bool(getattr(network, "_is_stateful", False))
        self._window = _window(network)
        self._cache_name = cache_name(network)

    def logprobs(self, sequences: Sequence[Sequence[int]]) -> list[list[float]]:
        """Return the natural logarithm of each token's probability given the tokens before it.

        Args:
            sequences: sequences of at least one token.

        Returns:
            For each sequence, the values of all tokens but the first.
        """
        results: list[list[float]] = [[] for _ in sequences]
        if not self._is_recurrent:
            self._score(self._tree(sequences), None, results)
            return results
        for leaf in _leaves(sequences):
            self._score([(leaf, 0)], None, results)
        return results

    def _tree(self, sequences: Sequence[Sequence[int]]) -> list[tuple[Node, int]]:
        nodes = prefix_tree(sequences)
        # A window counts positions, including the padding between a prefix and the rest of a text.
        if self._window is not None and padded_width(nodes) > self._window:
            nodes = _leaves(sequences)
        return [(node, 0) for node in nodes]

    def _score(
        self, rows: list[tuple[Node, int]], past: _Past | None, results: list[list[float]]
    ) -> None:
        """Score nodes, then their descendants.

        Args:
            rows: the nodes, each with its parent's row in `past`.
            past: the state after the parents; None for roots.
            results: the log-probabilities of each sequence, to which those of the nodes are added.
        """
        for chunk in self._chunks(rows, past.length if past else 0):
            here = self._forward(chunk, past, results)
            below = [(child, row) for row, (node, _) in enumerate(chunk) for child in node.children]
            if below:
                self._score(below, here, results)

    def _chunks(
        self, rows: list[tuple[Node, int]], past_length: int
    ) -> Iterator[list[tuple[Node, int]]]:
        """Split rows into batches by length, each within the limit."""
        chunk: list[tuple[Node, int]] = []
        for row in sorted(rows, key=lambda row: len(row[0].segment)):
            width = past_length + len(row[0].segment)
            if chunk and (len(chunk) + 1) * width > self._batch_tokens:
                yield chunk
                chunk = []
            chunk.append(row)
        if chunk:
            yield chunk

    def _forward(
        self, rows: list[tuple[Node, int]], past: _Past | None, results: list[list[float]]
    ) -> _Past | None:
        """Score nodes, and return the network's state after them; None if none has children."""
        import torch

        device = self._network.device
        segments = [node.segment for node, _ in rows]
        width = max(map(len, segments))
        # Padding on the left puts the last tokens of all rows at the same position.
        ids = torch.tensor([[0] * (width - len(s)) + list(s) for s in segments], device=device)
        own = torch.tensor([[0] * (width - len(s)) + [1] * len(s) for s in segments], device=device)
        parents = torch.tensor([parent for _, parent in rows], device=device)
        cache, mask = None, own
        if past is not None:
            cache = copy.deepcopy(past.cache)
            cache.batch_select_indices(parents)
            mask = torch.cat([past.mask[parents], own], dim=1)
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -width:]
        goes_on = any(node.children for node, _ in rows)
        output = self._network(
            input_ids=ids, attention_mask=mask, position_ids=positions,
            use_cache=goes_on or cache is not None, **{self._cache_name: cache},
        )  # fmt: skip
        for row, (node, parent) in enumerate(rows):
            before = None if past is None else past.last_logits[parent]
            values = _values(output.logits[row], node.segment, before)
            for member in node.members:
                results[member] += values
        if not goes_on:
            return None
        return _Past(getattr(output, self._cache_name), mask, output.logits[:, -1].clone())


def _leaves(sequences: Sequence[Sequence[int]]) -> list[Node]:
    return [Node(tokens, 0, len(tokens), (n,)) for n, tokens in enumerate(sequences)]


def cache_name(network: Network) -> str:
    """Return the network's name for its cache, as an argument and as a field of its output.

    Transformers 5.24 renamed `past_key_values` to `cache`. Networks whose code comes with their
    weights keep the old name, whatever the version.
    """
    return "cache" if "cache" in signature(network.forward).parameters else "past_key_values"


def _window(network: Network) -> int | None:
    """Return the smallest attention window of the network's layers; None if attention is full."""
    config = network.config.get_text_config()
    widths = [getattr(config, name, None) for name in ("sliding_window", "attention_chunk_size")]
    return min((width for width in widths if isinstance(width, int)), default=None)


def _values(logits: Tensor, segment: Sequence[int], before: Tensor | None) -> list[float]:
    """Return the log-probabilities of a segment's tokens.

    Args:
        logits: position x vocabulary; the last rows are those of the segment.
        segment: the segment's tokens.
        before: the logits of the token before the segment; None if there is none.
    """
    import torch

    predictions = logits[len(logits) - len(segment) : -1]
    tokens = torch.tensor(segment, device=logits.device)
    if before is None:
        tokens = tokens[1:]
    else:
        predictions = torch.cat([before[None], predictions])
    if not len(tokens):
        return []
    logprobs = torch.log_softmax(predictions.float(), dim=-1).gather(1, tokens[:, None])
    values: list[float] = logprobs[:, 0].tolist()
    return values
