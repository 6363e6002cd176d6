"""Writes the ONNX graph of all-MiniLM-L6-v2, which refers to the published weights.

In: the header of the published `model.safetensors`. Out: the bytes of an ONNX model of 20 KB in which every weight is a
position in that file. onnxruntime cannot read safetensors, the only format in which the weights are published and
pinned; with this graph it runs exactly those bytes without a copy on disk.

An ONNX model is a protocol buffer, and the few needed parts are encoded here: numbers (`_number`) and byte strings
(`_bytes`), each after the number of its field in onnx.proto. Start at `minilm_graph`.
"""

import json
import struct
from pathlib import Path
from typing import Any

DIMS = 384

_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12

_IR_VERSION = 9
_OPSET = 20  # the first with Gelu
_FUSED = "com.microsoft"  # onnxruntime's own operators: attention in one step is a tenth faster than in nine
_FLOAT, _INT32, _INT64 = 1, 6, 7


def minilm_graph(weights: Path) -> bytes:
    """The model; load it with the folder of `weights` as the location of its external data."""
    with weights.open("rb") as file:
        header_bytes = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(header_bytes))
    graph = _Graph(header, data_start=8 + header_bytes, file_name=weights.name)
    _write_encoder(graph)
    return graph.model()


def _write_encoder(graph: "_Graph") -> None:
    """BERT, as published: the rows of all texts in one matrix, except in attention, which is within a text."""
    shape = graph.add("Shape", "input_ids")
    whole = graph.add("Concat", shape, graph.constant(DIMS), axis=0)
    mask = graph.add("Cast", "attention_mask", to=_INT32)
    rows = graph.add("Reshape", _embeddings(graph, shape), graph.constant(-1, DIMS))
    for layer in range(_LAYERS):
        rows = _layer(graph, f"encoder.layer.{layer}", rows, whole, mask)
    graph.add("Reshape", rows, whole, output="last_hidden_state")


def _embeddings(graph: "_Graph", shape: str) -> str:
    """Embeddings of word, position and type: every text is of the first of two types."""
    zero, one = graph.constant(0), graph.constant(1)
    length = graph.add("Slice", shape, one, graph.constant(2))
    words = graph.add("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    places = graph.add("Slice", graph.weight("embeddings.position_embeddings.weight"), zero, length, zero)
    kind = graph.add("Slice", graph.weight("embeddings.token_type_embeddings.weight"), zero, one, zero)
    return _norm(graph, "embeddings.LayerNorm", graph.add("Add", words, graph.add("Add", places, kind)))


def _layer(graph: "_Graph", name: str, rows: str, whole: str, mask: str) -> str:
    seen = _attention(graph, f"{name}.attention.self", rows, whole, mask)
    seen = _linear(graph, f"{name}.attention.output.dense", seen)
    rows = _norm(graph, f"{name}.attention.output.LayerNorm", graph.add("Add", seen, rows))
    wide = graph.add("Gelu", _linear(graph, f"{name}.intermediate.dense", rows))
    narrow = _linear(graph, f"{name}.output.dense", wide)
    return _norm(graph, f"{name}.output.LayerNorm", graph.add("Add", narrow, rows))


def _attention(graph: "_Graph", name: str, rows: str, whole: str, mask: str) -> str:
    sides = [_linear(graph, f"{name}.{side}", rows) for side in ("query", "key", "value")]
    query, key, value = (graph.add("Reshape", side, whole) for side in sides)
    # The empty name is the bias, which `_linear` has added already.
    seen = graph.add("MultiHeadAttention", query, key, value, "", mask, domain=_FUSED, num_heads=_HEADS)
    return graph.add("Reshape", seen, graph.constant(-1, DIMS))


def _linear(graph: "_Graph", name: str, rows: str) -> str:
    # The published weights have the shape (out, in).
    return graph.add("Gemm", rows, graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias"), transB=1)


def _norm(graph: "_Graph", name: str, rows: str) -> str:
    weight, bias = graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")
    return graph.add("LayerNormalization", rows, weight, bias, axis=-1, epsilon=_EPSILON)


class _Graph:
    """Nodes in the order in which they are added, which is a valid order to run them."""

    def __init__(self, header: dict[str, Any], *, data_start: int, file_name: str) -> None:
        self._header = header
        self._data_start = data_start
        self._file_name = file_name
        self._nodes: list[bytes] = []
        self._tensors: dict[str, bytes] = {}

    def add(self, kind: str, *inputs: str, output: str = "", domain: str = "", **attributes: float) -> str:
        """Adds one operation; returns the name of its output."""
        output = output or f"{kind}_{len(self._nodes)}"
        node = b"".join(_text(1, each) for each in inputs) + _text(2, output) + _text(4, kind)
        node += b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
        self._nodes.append(node + _text(7, domain))
        return output

    def constant(self, *numbers: int) -> str:
        name = "constant" + "".join(f"_{number}" for number in numbers)
        data = struct.pack(f"<{len(numbers)}q", *numbers)
        self._tensors[name] = _number(1, len(numbers)) + _number(2, _INT64) + _text(8, name) + _bytes(9, data)
        return name

    def weight(self, name: str) -> str:
        table = self._header[name]
        start, end = table["data_offsets"]
        place = {"location": self._file_name, "offset": str(self._data_start + start), "length": str(end - start)}
        tensor = b"".join(_number(1, size) for size in table["shape"]) + _number(2, _FLOAT) + _text(8, name)
        tensor += b"".join(_bytes(13, _text(1, key) + _text(2, value)) for key, value in place.items())
        self._tensors[name] = tensor + _number(14, 1)  # external
        return name

    def model(self) -> bytes:
        graph = b"".join(_bytes(1, node) for node in self._nodes) + _text(2, "all-MiniLM-L6-v2")
        graph += b"".join(_bytes(5, tensor) for tensor in self._tensors.values())
        for name in ("input_ids", "attention_mask"):
            graph += _bytes(11, _value(name, _INT64, "texts", "tokens"))
        graph += _bytes(12, _value("last_hidden_state", _FLOAT, "texts", "tokens", DIMS))
        operators = _bytes(8, _number(2, _OPSET)) + _bytes(8, _text(1, _FUSED) + _number(2, 1))
        return _number(1, _IR_VERSION) + _text(2, "everlore") + _bytes(7, graph) + operators


# ── protocol buffers ─────────────────────────────────────────────────────────────────────────────


def _value(name: str, kind: int, *shape: str | int) -> bytes:
    sizes = (_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape)
    tensor = _number(1, kind) + _bytes(2, b"".join(_bytes(1, size) for size in sizes))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _varint(value: int) -> bytes:
    """Seven bits at a time, the lowest first; a negative number as the 64 bits of its complement."""
    value &= (1 << 64) - 1
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)
