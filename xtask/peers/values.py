"""Values in JSON: their equality, and stand-ins for values of which not everything is foreseen."""

import json
import struct


class Near(float):
    """Equal to any double that rounds to this float32."""

    def __eq__(self, other):
        try:
            return isinstance(other, float) and struct.pack("<f", other) == struct.pack("<f", self)
        except OverflowError:
            return False

    __hash__ = float.__hash__


class About(float):
    """Equal to any number not further away than the tolerance."""

    def __new__(cls, value, tolerance):
        about = super().__new__(cls, value)
        about.tolerance = tolerance
        return about

    def __eq__(self, other):
        return isinstance(other, float) and abs(float(self) - float(other)) <= self.tolerance

    __hash__ = float.__hash__


class Decoded:
    """Equal to any decoded object."""

    def __eq__(self, other):
        return isinstance(other, dict) and list(other) == ["decoded"]

    __hash__ = None


class Anything:
    """Equal to anything."""

    def __eq__(self, other):
        return True

    __hash__ = None


FORESEEN = (Near, About, Decoded, Anything)


def same(a, b):
    """Equality that tells 1 from 1.0 and true, and 0.0 from -0.0."""
    if isinstance(a, FORESEEN) and type(b) is not type(a):
        return bool(a == b)
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    return a == b


def first_difference(expected, got, path):
    """Where two values differ, and how."""
    if type(expected) is type(got) and isinstance(expected, list) and len(expected) == len(got):
        for i, (a, b) in enumerate(zip(expected, got, strict=True)):
            if not same(a, b):
                return first_difference(a, b, f"{path}[{i}]")
    if type(expected) is type(got) and isinstance(expected, dict):
        for key in expected | got:
            if not same(expected.get(key), got.get(key)):
                return first_difference(expected.get(key), got.get(key), f"{path}.{key}")
    return f"{path}: expected {shown(expected)}, got {shown(got)}"


def shown(value):
    text = "(foreseen)" if isinstance(value, (Decoded, Anything)) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
