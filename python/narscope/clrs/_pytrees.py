"""Registers our classes with JAX, without importing it."""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

_MODULE = "jax"


def register_with_jax(node_class: type[Any]) -> None:
    """Makes a class a pytree: now if JAX is imported, otherwise as soon as it is."""
    if _MODULE in sys.modules:
        _register(sys.modules[_MODULE], node_class)
    else:
        sys.meta_path.insert(0, _AfterImport(node_class))


def _register(jax: ModuleType, node_class: type[Any]) -> None:
    jax.tree_util.register_pytree_node_class(node_class)


class _AfterImport(importlib.abc.MetaPathFinder):
    """Waits for the import of JAX. Finds nothing itself: it adds the registration to what other finders find."""

    def __init__(self, node_class: type[Any]) -> None:
        self.node_class = node_class
        self.is_asking_others = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != _MODULE or self.is_asking_others:
            return None
        self.is_asking_others = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self.is_asking_others = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Registering(spec.loader, self)
        return spec


class _Registering(importlib.abc.Loader):
    """Loads a module as another loader does, then registers a class. Who only asks for the module loads nothing."""

    def __init__(self, loader: Any, finder: _AfterImport) -> None:
        self.loader = loader
        self.finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        sys.meta_path.remove(self.finder)
        _register(module, self.finder.node_class)
