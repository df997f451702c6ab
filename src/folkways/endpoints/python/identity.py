"""What a Python object is made of, as a digest: two with the same digest answer alike, as far as their code
tells."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import textwrap
import types
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

_PLAIN = (str, bytes, int, float, complex, bool, type(None), type(Ellipsis))
_MOST_PLAIN = 1_000_000
"""Values of a container that are looked at."""


class UnknowableError(Exception):
    """Why the code alone does not say how something answers."""


def digest_of(thing: object) -> str:
    """12 hexadecimal digits over the code of a function or object, and over the values that it uses of its
    surroundings.

    Functions and classes that somebody wrote for this go in with their source, without comments and
    formatting; those of installed packages by name. UnknowableError for a value that folkways cannot look
    into, such as a loaded model.
    """
    seen: dict[int, str] = {}
    return blake2b(_described(thing, "", seen).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _described(thing: Any, name: str, seen: dict[int, str]) -> str:
    if isinstance(thing, _PLAIN):
        return repr(thing)
    if id(thing) in seen:
        return seen[id(thing)]
    seen[id(thing)] = f"<{name or 'itself'}>"  # of what refers to itself
    if isinstance(thing, (list, tuple, set, frozenset, Mapping)):
        return _container(thing, name, seen)
    if isinstance(thing, functools.partial):
        return _described((thing.func, thing.args, thing.keywords), name, seen)
    if isinstance(thing, types.MethodType):
        return _described((thing.__func__, thing.__self__), name, seen)
    if isinstance(thing, types.ModuleType):
        return f"module {thing.__name__}"
    if isinstance(thing, types.FunctionType):
        return (
            _function(thing, seen)
            if not name or _is_own(thing)
            else f"{thing.__module__}.{thing.__qualname__}"
        )
    if isinstance(thing, type):
        return _source(thing) if _is_own(thing) else f"{thing.__module__}.{thing.__qualname__}"
    if isinstance(thing, (types.BuiltinFunctionType, types.MethodWrapperType)) or not hasattr(
        type(thing), "__module__"
    ):
        return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', name)}"
    return _instance(thing, name, seen)


def _container(thing: Any, name: str, seen: dict[int, str]) -> str:
    if len(thing) > _MOST_PLAIN:
        raise UnknowableError(f"it uses {name!r}, which has {len(thing):,} values")
    if isinstance(thing, Mapping):
        return (
            "{" + ",".join(f"{key!r}:{_described(value, name, seen)}" for key, value in thing.items()) + "}"
        )
    parts = [_described(value, name, seen) for value in thing]
    return f"{type(thing).__name__}({','.join(parts if isinstance(thing, (list, tuple)) else sorted(parts))})"


def _function(function: types.FunctionType, seen: dict[int, str]) -> str:
    """Source, defaults, and the values of the variables outside that it names."""
    parts = [
        _source(function),
        _described([function.__defaults__, function.__kwdefaults__], "a default", seen),
    ]
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    outside = {name: cell.cell_contents for name, cell in cells}
    outside |= {
        name: function.__globals__[name]
        for name in _global_names(function.__code__)
        if name in function.__globals__
    }
    constant_names = outside.keys() - _changed_by(function)
    return ";".join(
        [*parts, *(f"{name}={_described(outside[name], name, seen)}" for name in sorted(constant_names))]
    )


def _global_names(code: types.CodeType) -> set[str]:
    """Names that the code may look up outside, functions within it included. Attributes are among them; they
    do no harm."""
    inner = (_global_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*inner)


def _instance(thing: Any, name: str, seen: dict[int, str]) -> str:
    """An object of a class that was written for this, by its source and attributes; a client of a server by
    its address."""
    kind = type(thing)
    address = getattr(thing, "base_url", None)
    if not _is_own(kind):
        if address is not None:
            return f"{kind.__module__}.{kind.__qualname__} at {address}"
        what = (
            f"{name!r}, a {kind.__module__}.{kind.__qualname__},"
            if name
            else f"a {kind.__module__}.{kind.__qualname__},"
        )
        raise UnknowableError(f"it is or uses {what} into which folkways cannot look")
    attributes = dict(getattr(thing, "__dict__", {}))
    slots = (slot for base in kind.__mro__ for slot in getattr(base, "__slots__", ()) if hasattr(thing, slot))
    attributes |= {slot: getattr(thing, slot) for slot in slots if slot not in ("__dict__", "__weakref__")}
    bases = [base for base in kind.__mro__ if _is_own(base)]
    constant_names = attributes.keys() - set().union(*map(_changed_by, bases))
    return ";".join(
        [
            *map(_source, bases),
            *(f"{key}={_described(attributes[key], key, seen)}" for key in sorted(constant_names)),
        ]
    )


def _is_own(thing: Any) -> bool:
    """Whether it was written for this study: not of Python itself and not of an installed package."""
    module = sys.modules.get(getattr(thing, "__module__", None) or "")
    if module is None:
        return True
    file = getattr(module, "__file__", None)
    if file is None:
        return module.__name__ == "__main__"
    return not (
        "site-packages" in file
        or "dist-packages" in file
        or module.__name__.partition(".")[0] in sys.stdlib_module_names
    )


_CHANGES = {
    "append",
    "appendleft",
    "extend",
    "insert",
    "add",
    "update",
    "setdefault",
    "pop",
    "popleft",
    "clear",
    "remove",
}
_SETS_UP = ("__init__", "__post_init__", "__new__")


def _changed_by(thing: types.FunctionType | type) -> set[str]:
    """Variables and attributes that the code itself changes, such as a cache or a count of calls: what it
    did, not what it is."""
    names: set[str] = set()
    for part in ast.iter_child_nodes(_tree(thing) or ast.Module([], [])):
        skipped = {
            inner
            for entry in ast.walk(part)
            if getattr(entry, "name", None) in _SETS_UP
            for inner in ast.walk(entry)
        }
        for node in ast.walk(part):
            if node in skipped:
                continue
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                names.update(node.names)
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in _CHANGES
            ):
                names.add(_last_name(node.func.value))
            elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                names.add(_last_name(node.value if isinstance(node, ast.Subscript) else node))
    return names


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _tree(thing: types.FunctionType | type) -> ast.Module | None:
    """The source of a function or class with a name; None for a lambda and for what was typed into
    ``python``."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):
        return None
    return tree if isinstance(tree.body[0], (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else None


def _source(thing: types.FunctionType | type) -> str:
    """The source without comments and formatting; the compiled code of a function where there is no
    source."""
    tree = _tree(thing)
    if tree is not None:
        return ast.unparse(tree)
    if isinstance(thing, types.FunctionType):
        return _compiled(thing.__code__)
    raise UnknowableError(f"the source of {thing.__qualname__} cannot be read")


def _compiled(code: types.CodeType) -> str:
    constants = [
        _compiled(value) if isinstance(value, types.CodeType) else repr(value) for value in code.co_consts
    ]
    return f"{code.co_code.hex()}{constants}{code.co_names}{code.co_varnames}"
