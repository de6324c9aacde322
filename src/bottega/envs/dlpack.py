"""Arrays of a GPU, handed to others without a copy by DLPack and `__cuda_array_interface__`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

CPU, CUDA = 1, 2  # DLPack's kinds of devices
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}  # and of numbers, by NumPy's letters
NAME = b"dltensor"
LEGACY_STREAMS = (None, -1, 0, 1)  # of which work is always done in order with ours


class Tensor(ctypes.Structure):
    """DLManagedTensor of DLPack: a DLTensor, its owner, and how to let go of it."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("owner", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_lent: dict[int, Any] = {}  # what must live as long as somebody holds the tensor at that address


def _let_go(address: int) -> None:
    _lent.pop(address, None)


def _drop(capsule: int) -> None:
    """A capsule that nobody opened is thrown away with its tensor."""
    if _capsules.PyCapsule_IsValid(capsule, NAME):
        _let_go(_capsules.PyCapsule_GetPointer(capsule, NAME))


_deleter = DELETER(_let_go)
_destructor = DELETER(_drop)
_capsules = ctypes.pythonapi
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", _capsules))
_capsules.PyCapsule_IsValid.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
_capsules.PyCapsule_GetPointer.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
_capsules.PyCapsule_GetPointer.restype = ctypes.c_void_p


class Lent:
    """An array of Numba on a GPU, as others take it: `torch.from_dlpack(lent)`, and so on.

    `numpy.asarray(lent)` copies it from the GPU.
    """

    def __init__(self, array: Any, wait: Callable[[], None], device: tuple[int, int] = (CUDA, 0)):
        self.array = array
        self.shape: tuple[int, ...] = array.shape
        self.dtype = np.dtype(array.dtype)
        self._wait = wait
        self._device = device

    def __repr__(self) -> str:
        return f"<array on the GPU, {self.dtype} {list(self.shape)}>"

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def __cuda_array_interface__(self) -> Any:
        return self.array.__cuda_array_interface__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("an array on the GPU cannot be read without a copy")
        return np.asarray(self.array.copy_to_host(), dtype)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        """A capsule with the array. Who works on a stream of its own waits for ours first."""
        if stream not in LEGACY_STREAMS:
            self._wait()
        return capsule(self.array, address_of(self.array), self._device)


def address_of(array: Any) -> int:
    """Where the array begins."""
    interface = getattr(array, "__cuda_array_interface__", None) or array.__array_interface__
    return int(interface["data"][0])


def capsule(array: Any, address: int, device: tuple[int, int]) -> Any:
    """A DLPack capsule of an array. The array lives as long as somebody holds the capsule."""
    dtype, size = np.dtype(array.dtype), len(array.shape)
    if dtype.kind not in CODES:
        raise BufferError(f"DLPack has no numbers of type {dtype}")
    shape = (ctypes.c_int64 * size)(*array.shape)
    strides = (ctypes.c_int64 * size)(*(step // dtype.itemsize for step in array.strides))
    tensor = Tensor(
        data=address,
        device_type=device[0],
        device_id=device[1],
        ndim=size,
        code=CODES[dtype.kind],
        bits=8 * dtype.itemsize,
        lanes=1,
        shape=shape,
        strides=strides,
        byte_offset=0,
        owner=None,
        deleter=ctypes.cast(_deleter, ctypes.c_void_p).value,
    )
    at = ctypes.addressof(tensor)
    _lent[at] = (tensor, shape, strides, array)
    return _new_capsule(at, NAME, ctypes.cast(_destructor, ctypes.c_void_p))
