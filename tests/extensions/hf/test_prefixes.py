"""The prefix tree of token sequences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lve.extensions.hf.scoring import Node, padded_width, prefix_tree

SEQUENCES = st.lists(
    st.tuples(st.integers(0, 12), st.lists(st.integers(0, 2), min_size=1, max_size=9)).map(
        lambda pair: [7] * pair[0] + pair[1]
    ),
    max_size=8,
)


def written(nodes: list[Node] | tuple[Node, ...], before: tuple[int, ...] = ()) -> list[object]:
    """All (member, tokens) at the leaves, by walking the tree."""
    found: list[object] = []
    for node in nodes:
        whole = (*before, *node.segment)
        assert node.segment
        assert node.start == len(before)
        if node.children:
            found += written(node.children, whole)
        else:
            assert len(node.members) == 1
            found.append((node.members[0], whole))
    return found


def computed(nodes: list[Node] | tuple[Node, ...]) -> int:
    return sum(len(node.segment) + computed(node.children) for node in nodes)


@given(SEQUENCES, st.integers(1, 4))
def test_the_ways_to_the_leaves_are_the_sequences(sequences: list[list[int]], least: int) -> None:
    found = written(prefix_tree(sequences, least=least))
    assert sorted(found, key=repr) == sorted(enumerate(map(tuple, sequences)), key=repr)


def test_labels_of_a_row_share_their_question() -> None:
    question = list(range(20))
    (root,) = prefix_tree([[*question, 30], [*question, 31, 32], [*question, 33]])
    assert root.segment == tuple(question)
    assert [list(child.segment) for child in root.children] == [[30], [31, 32], [33]]


def test_rows_share_their_examples_and_labels_their_row() -> None:
    examples, rows = list(range(100)), [[200 + n, *range(300, 320)] for n in range(3)]
    sequences = [[*examples, *row, label] for row in rows for label in (1, 2)]
    assert computed(prefix_tree(sequences)) == 100 + 3 * 21 + 6


def test_equal_sequences_keep_a_last_token_each() -> None:
    sequence = list(range(40))
    (root,) = prefix_tree([sequence, sequence])
    assert [list(child.segment) for child in root.children] == [[39], [39]]


def test_little_in_common_is_not_worth_a_step() -> None:
    assert len(prefix_tree([[1, 2, 3, 4], [1, 2, 3, 5]])) == 2


def test_the_padded_width_is_the_sum_of_the_widest_of_each_level() -> None:
    assert padded_width([]) == 0
    first, second = list(range(20)), list(range(100, 130))
    tree = prefix_tree([[*first, *range(9)], [*first, 50], [*second, 1], [*second, 2, 3]])
    assert padded_width(tree) == 30 + 9
