"""The exceptions of narscope. Each is also one of Python's own, so that ``except ValueError`` works."""


class Error(Exception):
    """Base of all exceptions of narscope."""


class InputError(Error, ValueError):
    """A value, a name or a combination of arguments cannot be used."""


class MissingFileError(Error, FileNotFoundError):
    """A file or the folder of a run does not exist."""


class FileError(Error, OSError):
    """The operating system refused to read or write a file."""


class MissingPackageError(Error, ImportError):
    """A package that is needed only for this function is not installed."""


class InternalError(Error, RuntimeError):
    """A mistake of narscope itself. Please report it."""


for _exception in (Error, InputError, MissingFileError, FileError, MissingPackageError, InternalError):
    _exception.__module__ = "narscope"
del _exception
