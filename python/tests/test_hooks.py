"""Hidden states that Python reads and changes in flight."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import narscope as ns


def test_a_hook_sees_the_states_that_are_predicted(bellman_ford: ns.Run) -> None:
    # More samples than are run at once.
    batch = ns.sample("bellman_ford", n=6, num=40, seed=1)
    hidden = bellman_ford.predict(batch, hidden=True).hidden
    assert hidden is not None
    seen = np.zeros_like(hidden)

    def look(t: int, h: Any, samples: Any) -> None:
        assert h.shape == (len(samples), 6, 128) and (np.diff(samples) > 0).all()
        seen[t, samples] = h

    with bellman_ford.hooks({"hidden": look}):
        again = bellman_ford.predict(batch, hidden=True)
    np.testing.assert_allclose(seen, hidden, rtol=1e-4, atol=1e-5)
    assert again.hidden is not None
    np.testing.assert_array_equal(seen, again.hidden)


def test_changed_states_are_what_the_network_goes_on_with(bellman_ford: ns.Run) -> None:
    batch = ns.sample("bellman_ford", n=16, num=8, seed=1)
    usual = bellman_ford.evaluate(batch).mean
    with bellman_ford.hooks({"hidden": lambda t, h: np.zeros_like(h)}):
        without = bellman_ford.predict(batch, hidden=True)
        assert bellman_ford.evaluate(batch).mean < usual
    assert without.hidden is not None and (without.hidden == 0).all()
    # After the block everything is as before.
    assert bellman_ford.evaluate(batch).mean == usual


def test_states_can_be_changed_in_place_and_by_several_hooks(bellman_ford: ns.Run) -> None:
    batch = ns.sample("bellman_ford", n=6, num=3, seed=1)

    def silence(t: int, h: Any) -> None:
        h[:, :, 0] = 0

    with bellman_ford.hooks({"hidden": silence}), bellman_ford.hooks({"hidden": lambda t, h: h + 1}):
        hidden = bellman_ford.predict(batch, hidden=True).hidden
    assert hidden is not None
    running = hidden[0]
    assert (running[:, :, 0] == 1).all() and (running[:, :, 1:] != 1).any()


def test_a_hook_is_called_in_its_own_thread_only(bellman_ford: ns.Run) -> None:
    batch = ns.sample("bellman_ford", n=8, num=2, seed=1)
    calls: list[int] = []
    with bellman_ford.hooks({"hidden": lambda t, h: calls.append(t)}):
        other = threading.Thread(target=bellman_ford.predict, args=(batch,))
        other.start()
        other.join()
        assert calls == []
        bellman_ford.predict(batch)
    assert calls == list(range(int(batch.lengths.max()) - 1))


def test_an_exception_in_a_hook_ends_the_prediction(bellman_ford: ns.Run) -> None:
    calls: list[int] = []

    def fail(t: int, h: Any) -> None:
        calls.append(t)
        raise LookupError("not here")

    with bellman_ford.hooks({"hidden": fail}), pytest.raises(LookupError, match="not here"):
        bellman_ford.predict(ns.sample("bellman_ford", n=16, num=100, seed=1))
    assert calls == [0]


@pytest.mark.parametrize("method", ["predict", "evaluate"])
def test_states_of_another_shape_are_refused(bellman_ford: ns.Run, method: str) -> None:
    batch = ns.sample("bellman_ford", n=4, num=2, seed=1)
    with bellman_ford.hooks({"hidden": lambda t, h: h[:, :, :3]}):
        with pytest.raises(ns.InputError, match=r"of shape \[2, 4, 128\].*found \[2, 4, 3\]"):
            getattr(bellman_ford, method)(batch)


def test_other_places_are_refused(bellman_ford: ns.Run) -> None:
    with pytest.raises(ns.InputError, match="the only place"), bellman_ford.hooks({"messages": print}):
        pass
    with pytest.raises(ns.InputError, match="should be a function"), bellman_ford.hooks({"hidden": 3}):  # type: ignore[dict-item]
        pass
