"""Tables of any library by the Arrow C stream interface: no package of Arrow is needed."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Field = tuple[str, Any]


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, POINTER(_Schema))),
    ("private_data", c_void_p),
]
_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, POINTER(_Array))),
    ("private_data", c_void_p),
]


class _StreamFields:
    fields: ClassVar[list[Field]] = [
        ("get_schema", ctypes.CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
        ("get_next", ctypes.CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
        ("get_last_error", ctypes.CFUNCTYPE(c_char_p, POINTER(_Stream))),
        ("release", ctypes.CFUNCTYPE(None, POINTER(_Stream))),
        ("private_data", c_void_p),
    ]


_Stream._fields_ = _StreamFields.fields

_NUMBERS = {
    b"c": "i1",
    b"C": "u1",
    b"s": "i2",
    b"S": "u2",
    b"i": "i4",
    b"I": "u4",
    b"l": "i8",
    b"L": "u8",
    b"e": "f2",
    b"f": "f4",
    b"g": "f8",
}
_TEXTS = {b"u": "i4", b"U": "i8"}


def _memory(address: int | None, dtype: str, count: int) -> Array:
    if not count or not address:
        return np.zeros(count, dtype)
    size = count * np.dtype(dtype).itemsize
    raw: Any = (ctypes.c_char * size).from_address(address)
    return np.frombuffer(raw, dtype, count)


def _bits(address: int | None, offset: int, count: int) -> Array:
    packed = _memory(address, "u1", (offset + count + 7) // 8)
    return np.unpackbits(packed, bitorder="little")[offset : offset + count].astype(bool)


def _texts(array: Any, kind: bytes) -> Array:
    """Strings one after the other, with offsets."""
    offsets = _memory(array.buffers[1], _TEXTS[kind], array.offset + array.length + 1)
    at = offsets[array.offset :]
    whole = _memory(array.buffers[2], "u1", int(at[-1])).tobytes()
    found = np.empty(array.length, object)
    found[:] = [whole[at[i] : at[i + 1]].decode() for i in range(array.length)]
    return found


def _text_views(array: Any) -> Array:
    """Strings of at most 12 bytes in place, others in one of several buffers."""
    views = _memory(array.buffers[1], "i4", 4 * (array.offset + array.length)).reshape(-1, 4)
    found = np.empty(array.length, object)
    for i, view in enumerate(views[array.offset :]):
        size = int(view[0])
        if size <= 12:
            text = view[1:].tobytes()[:size]
        else:
            address = int(array.buffers[2 + int(view[2])] or 0)
            text = ctypes.string_at(address + int(view[3]), size)
        found[i] = text.decode()
    return found


def _values(name: str, schema: Any, array: Any) -> Array:
    kind = schema.format
    if schema.dictionary:
        words = _column(name, schema.dictionary[0], array.dictionary[0])
        places = _memory(array.buffers[1], _NUMBERS[kind], array.offset + array.length)
        return words[np.where(_present(array), places[array.offset :], 0)]
    if kind in _NUMBERS:
        return _memory(array.buffers[1], _NUMBERS[kind], array.offset + array.length)[
            array.offset :
        ].copy()
    if kind == b"b":
        return _bits(array.buffers[1], array.offset, array.length)
    if kind in _TEXTS:
        return _texts(array, kind)
    if kind == b"vu":
        return _text_views(array)
    if kind == b"n":
        return np.full(array.length, None, object)
    raise TypeError(
        f"x: the column {name!r} has the Arrow type {kind.decode()!r}, expected numbers, bool or "
        "text; cast it, or leave it out"
    )


def _present(array: Any) -> Array:
    if not array.null_count or not array.n_buffers or not array.buffers[0]:
        return np.ones(array.length, bool)
    return _bits(array.buffers[0], array.offset, array.length)


def _column(name: str, schema: Any, array: Any) -> Array:
    """Numbers, or objects that are texts; what is missing is NaN, or None."""
    values, present = _values(name, schema, array), _present(array)
    if present.all():
        return values
    if values.dtype == object:
        values[~present] = None
        return values
    return np.where(present, values.astype(np.float64), np.nan)


def _chunks(stream: Any) -> Iterator[Any]:
    while True:
        array = _Array()
        _check(stream, stream.get_next(ctypes.byref(stream), ctypes.byref(array)))
        if not array.release:
            return
        try:
            yield array
        finally:
            array.release(ctypes.byref(array))


def _check(stream: Any, code: int) -> None:
    if code:
        message = stream.get_last_error(ctypes.byref(stream)) or b""
        raise OSError(code, f"x: the table cannot be read: {message.decode()}")


def columns(x: Any, is_used: Callable[[str], bool]) -> list[tuple[str, Array]]:
    """The names and values of the columns of what has ``__arrow_c_stream__``: copies."""
    capsule = x.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    stream = _Stream.from_address(pointer(capsule, b"arrow_array_stream") or 0)
    schema = _Schema()
    _check(stream, stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
    try:
        if schema.format != b"+s":
            raise TypeError(f"x: expected a table, found a column of {type(x).__name__}")
        children = [schema.children[i][0] for i in range(schema.n_children)]
        names = [(child.name or b"").decode() for child in children]
        used = [i for i, name in enumerate(names) if is_used(name)]
        parts: list[list[Array]] = [[] for _ in children]
        for array in _chunks(stream):
            for i in used:
                parts[i].append(_column(names[i], children[i], _child(array, i)))
        empty = np.zeros(0)
        return [(names[i], np.concatenate(parts[i]) if parts[i] else empty) for i in used]
    finally:
        schema.release(ctypes.byref(schema))


def _child(array: Any, i: int) -> Any:
    if array.offset:
        raise TypeError("x: expected a table that begins with its first row; copy it")
    return array.children[i][0]
