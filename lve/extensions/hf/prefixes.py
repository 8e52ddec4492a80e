"""Builds a prefix tree of token sequences. Pure functions.

The prompts for the labels of a row differ only in their last words, and the prompts of all rows
begin with the same examples. With the tree, each common prefix is computed only once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from lve.data_classes import dataclass

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
