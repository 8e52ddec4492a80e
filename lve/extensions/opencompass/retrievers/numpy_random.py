"""The random numbers of numpy without numpy, so that examples are the same as upstream's."""

from __future__ import annotations

import random


def numpy_generator(seed: int) -> random.Random:
    """Return a generator of the 32-bit numbers of numpy's `RandomState(seed)`.

    Python and numpy both have the Mersenne Twister, but seed it differently.
    """
    word, state = seed, []
    for n in range(624):
        state.append(word)
        word = (1812433253 * (word ^ (word >> 30)) + n + 1) & 0xFFFFFFFF
    generator = random.Random()
    generator.setstate((3, (*state, 624), None))
    return generator


def permutation(count: int, generator: random.Random) -> list[int]:
    """Return the numbers from 0 below `count`, shuffled as by numpy's `RandomState.permutation`."""
    result = list(range(count))
    for last in range(count - 1, 0, -1):
        bits = last.bit_length()
        mask = (1 << bits) - 1
        other = generator.getrandbits(32) & mask
        while other > last:
            other = generator.getrandbits(32) & mask
        result[last], result[other] = result[other], result[last]
    return result
