"""A table that is read by ``__arrow_c_stream__`` alone, as those of polars and Arrow."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from sparcl._arrow import _Array, _Schema, _Stream

FORMATS = {"i1": "c", "u1": "C", "i2": "s", "u2": "S", "i4": "i", "u4": "I"}
FORMATS |= {"i8": "l", "u8": "L", "f2": "e", "f4": "f", "f8": "g"}


def packed(flags: Any) -> Any:
    return np.packbits(np.asarray(flags, bool), bitorder="little")


def buffers_of(values: Any, kind: str) -> tuple[str, list[Any]]:
    """The format and the buffers of a column, after that of what is missing."""
    if kind == "bool":
        return "b", [packed([bool(value) for value in values])]
    if kind in {"u", "U"}:
        encoded = [str(value or "").encode() for value in values]
        ends = np.cumsum([0, *map(len, encoded)]).astype("i4" if kind == "u" else "i8")
        return kind, [ends, np.frombuffer(b"".join(encoded) or b"\0", "u1")]
    if kind == "vu":
        long, views = b"", []
        for value in values:
            text = str(value or "").encode()
            view = np.zeros(16, "u1")
            view[:4] = np.array([len(text)], "i4").view("u1")
            if len(text) > 12:
                view[4:8] = np.frombuffer(text[:4], "u1")
                view[12:] = np.array([len(long)], "i4").view("u1")
                long += text
            else:
                view[4 : 4 + len(text)] = np.frombuffer(text, "u1")
            views.append(view)
        return kind, [np.concatenate(views), np.frombuffer(long or b"\0", "u1")]
    return FORMATS.get(kind, kind), [np.array([value or 0 for value in values], kind[:2])]


class ArrowTable:
    """Columns by name: lists, None where a value is missing, and how they are stored: a type of
    NumPy, "bool", "u", "U" or "vu" (texts). ``chunk`` is the number of rows of each part."""

    def __init__(self, columns: dict[str, tuple[list[Any], str]], chunk: int = 7) -> None:
        self.columns, self.chunk = columns, chunk
        self.kept: list[Any] = []
        self.released = 0
        self.rows = len(next(iter(columns.values()))[0]) if columns else 0

    def _released(self, at: Any) -> None:
        self.released += 1
        at[0].release = type(at[0].release)()

    def _keep(self, x: Any) -> Any:
        self.kept.append(x)
        return x

    def _fill_schema(self, to: Any, name: str, kind: str, children: list[Any]) -> None:
        to.format, to.name, to.n_children = self._keep(kind.encode()), self._keep(name.encode()), 0
        if children:
            pointers = self._keep((ctypes.POINTER(_Schema) * len(children))(*children))
            to.n_children, to.children = len(children), pointers
        to.release = self._keep(dict(_Schema._fields_)["release"](self._released))

    def _fill_array(
        self, to: Any, buffers: list[Any], rows: int, nulls: int, children: Any
    ) -> None:
        addresses = [None if each is None else self._keep(each).ctypes.data for each in buffers]
        to.buffers = self._keep((ctypes.c_void_p * len(addresses))(*addresses))
        to.length, to.null_count, to.offset, to.n_buffers = rows, nulls, 0, len(addresses)
        if children:
            to.n_children = len(children)
            to.children = self._keep((ctypes.POINTER(_Array) * len(children))(*children))
        to.release = self._keep(dict(_Array._fields_)["release"](self._released))

    def _schema(self, _: Any, to: Any) -> int:
        children = []
        for name, (values, kind) in self.columns.items():
            child = self._keep(_Schema())
            self._fill_schema(child, name, buffers_of(values[:1], kind)[0], [])
            children.append(ctypes.pointer(child))
        self._fill_schema(to[0], "", "+s", children)
        return 0

    def _next(self, _: Any, to: Any) -> int:
        begin, self.at = self.at, self.at + self.chunk
        if begin >= self.rows:
            to[0].release = type(to[0].release)()
            return 0
        children = []
        for values, kind in self.columns.values():
            part = values[begin : begin + self.chunk]
            present = [value is not None for value in part]
            nulls = present.count(False)
            child = self._keep(_Array())
            buffers = [packed(present) if nulls else None, *buffers_of(part, kind)[1]]
            self._fill_array(child, buffers, len(part), nulls, [])
            children.append(ctypes.pointer(child))
        self._fill_array(to[0], [None], min(self.chunk, self.rows - begin), 0, children)
        return 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.at = 0
        stream, kinds = self._keep(_Stream()), dict(_Stream._fields_)
        stream.get_schema = self._keep(kinds["get_schema"](self._schema))
        stream.get_next = self._keep(kinds["get_next"](self._next))
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(stream), b"arrow_array_stream", None)
