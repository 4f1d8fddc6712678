"""Parameters without a file: computed from their names by a formula, here and in the Rust tests."""

from reference import np

MASK = 2**64 - 1


def fnv1a(text: str) -> int:
    """The 64-bit FNV-1a hash of the UTF-8 bytes."""
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = (state ^ byte) * 0x100000001B3 & MASK
    return state


def splitmix64(states: np.ndarray) -> np.ndarray:
    """Returns the output of SplitMix64 for each state: advance by one step, then mix."""
    with np.errstate(over="ignore"):
        z = states + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def weights(module: str, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Returns the values of the parameter `module/name` as float32.

    Biases are not 0 and scales are not 1, so that a missing one changes the results.
    """
    with np.errstate(over="ignore"):
        start = np.uint64(fnv1a(f"{module}/{name}"))
        mixed = splitmix64(start + np.arange(np.prod(shape, dtype=int), dtype=np.uint64))
    centred = (mixed >> np.uint64(40)).astype(np.float64) / 2**24 - 0.5
    if name == "w":
        values = centred * 2 / np.sqrt(shape[0])
    elif name == "scale":
        values = 1 + centred * 0.2
    elif name in ("b", "offset"):
        values = centred * 2 * 0.1
    else:
        raise ValueError(f"no formula for {module}/{name}")
    return values.astype(np.float32).reshape(shape)
