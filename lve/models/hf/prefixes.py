"""What token sequences share at their beginning, as a tree. Pure functions.

The prompts of a row's labels differ in their last words, those of a data set's rows all begin with
the same examples: whatever stands in one node of the tree is computed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LEAST_SHARED = 16
"""A shorter common piece costs more as a step of its own than it saves."""


@dataclass(frozen=True, slots=True)
class Node:
    """Tokens `start` to `end` of the sequences that go through here."""

    tokens: Sequence[int]
    """Of one of them, from its beginning."""
    start: int
    end: int
    members: tuple[int, ...]
    """Indexes of the sequences that go through here."""
    children: tuple[Node, ...] = ()
    """None where the sequence ends; then there is one member."""

    @property
    def segment(self) -> Sequence[int]:
        """The tokens of this node alone; never empty."""
        return self.tokens[self.start : self.end]


def prefix_tree(sequences: Sequence[Sequence[int]], *, least: int = LEAST_SHARED) -> list[Node]:
    """Return the roots of the tree. Sequences must not be empty.

    Each sequence is the segments on one way from a root to a leaf.
    """
    return _nodes(sequences, range(len(sequences)), 0, least)


def padded_width(nodes: Sequence[Node]) -> int:
    """Return the places that the longest way can take when each level is padded to one width."""
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
        # The last token stays with the leaf, so that no leaf is empty.
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
    # What the first and the last in order share, all of them share.
    ordered = [tuple(sequences[member]) for member in members]
    first, last = min(ordered), max(ordered)
    longest = min(map(len, ordered)) - 1
    end = start + least
    while end < longest and first[end] == last[end]:
        end += 1
    children = tuple(_nodes(sequences, members, end, least))
    return Node(first, start, end, tuple(members), children)
