"""What is not here says what to use instead."""

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

_NETWORKS = "narscope's networks are not made of JAX functions: use models.BaselineModel or narscope.train"


def placeholders(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's ``__getattr__``: each of the names is a function that raises ``NotImplementedError`` when called."""

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")

        def refuse(*_: Any, **__: Any) -> NoReturn:
            raise NotImplementedError(f"{module}.{name} is not supported: {names[name]}")

        refuse.__name__ = name
        return refuse

    return find


def networks(module: str, *names: str) -> Callable[[str], Any]:
    """Placeholders for functions of the reference's networks."""
    return placeholders(module, dict.fromkeys(names, _NETWORKS))
