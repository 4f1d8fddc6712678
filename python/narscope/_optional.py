"""Packages that only some functions need."""

from __future__ import annotations

import importlib
from types import ModuleType

from narscope._errors import MissingPackageError


def require(package: str, *, purpose: str, extra: str) -> ModuleType:
    """Imports a package, or says how to install it.

    >>> require("no_such_package", purpose="An example", extra="pandas")
    Traceback (most recent call last):
    ...
    narscope.MissingPackageError: An example needs no_such_package: pip install "narscope[pandas]"
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        # A package that is there but broken has its own error.
        if error.name != package:
            raise
        raise MissingPackageError(f'{purpose} needs {package}: pip install "narscope[{extra}]"') from None
