"""Random numbers equal to numpy's: examples are the same as upstream's, without numpy."""

from __future__ import annotations

import random


def numpy_generator(seed: int) -> random.Random:
    """Return a generator that gives the 32-bit numbers of numpy's `RandomState(seed)`.

    Python and numpy share the Mersenne Twister but seed it differently; without this, examples
    would need numpy to be the same as upstream's.
    """
    word, state = seed, []
    for n in range(624):
        state.append(word)
        word = (1812433253 * (word ^ (word >> 30)) + n + 1) & 0xFFFFFFFF
    generator = random.Random()
    generator.setstate((3, (*state, 624), None))
    return generator


def permutation(count: int, generator: random.Random) -> list[int]:
    """Return the numbers below `count`, shuffled as numpy's `RandomState.permutation` does."""
    result = list(range(count))
    for last in range(count - 1, 0, -1):
        bits = last.bit_length()
        mask = (1 << bits) - 1
        other = generator.getrandbits(32) & mask
        while other > last:
            other = generator.getrandbits(32) & mask
        result[last], result[other] = result[other], result[last]
    return result
