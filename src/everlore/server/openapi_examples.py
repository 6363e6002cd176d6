"""An example for each JSON body in the OpenAPI document, made from its schema, so that none is missing or out of date.

Values come from the schema's own examples, if it has any, else from the name of a field, where it says what belongs
there, and else from its type and limits. A request has
its required fields, or its first one if none is required; an answer has all.

Start at `add_examples`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

_ID = "01m7x2k9q4tafb8w5d3c6n0rgz"
_TIME = "2027-05-05T18:30:00Z"
_VALUES: Mapping[str, Any] = {
    "at": _TIME,
    "base_url": "http://localhost:11434",
    "content": "The user lives in Porto",
    "description": "A lighthouse keeper who collects letters",
    "display_content": "Where do I live?",
    "actors": _ID,
    "events": "memory.created",
    "finish_reason": "stop",
    "icon": "map",
    "input": "Where do I live?",
    "participants": _ID,
    "persons": _ID,
    "premise": "A lighthouse that has been dark for a year",
    "prompt": "Where do I live?",
    "secret": "shown-only-once",
    "tags": "home",
    "why": "It says where the user lives",
    "evidence": "Vesna said it at the harbour",
    "model": "everlore/nova",
    "name": "Nova",
    "note": "They said so themselves",
    "object": "list",
    "personality": "warm, curious",
    "query": "Where does the user live?",
    "question": "Who hid the lantern?",
    "summary": "They talked about the move to Porto.",
    "text": "Where do I live?",
    "title": "The move to Porto",
    "token": "everlore_ZGVmYXVsdA.01m7x2k9.secret",
    "url": "https://example.org/hook",
    "version": "1",
    "workspace": "default",
}
_BY_FORMAT = {"date-time": _TIME, "date": "2027-05-05", "binary": "", "uri": "https://example.org"}
# Of several allowed values, the one that is met most.
_USUAL = frozenset({"active", "complete", "fact", "FACT", "formed", "user"})
_MOST_DEPTH = 6
_JSON = ("application/json", "application/problem+json")


def add_examples(document: dict[str, Any]) -> dict[str, Any]:
    """Give every JSON body of every operation an example."""
    shapes = document["components"]["schemas"]
    for operations in document["paths"].values():
        for operation in operations.values():
            for body in _json_bodies(operation.get("requestBody", {})):
                body["example"] = _Examples(shapes, is_request=True).of(body.get("schema", {}))
            for answer in operation["responses"].values():
                for body in _json_bodies(answer):
                    body["example"] = _Examples(shapes, is_request=False).of(body.get("schema", {}))
    return document


def _json_bodies(part: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for media_type, body in part.get("content", {}).items():
        if media_type in _JSON:
            yield body


class _Examples:
    def __init__(self, shapes: Mapping[str, Any], *, is_request: bool) -> None:
        self._shapes = shapes
        self._is_request = is_request

    def of(self, schema: Mapping[str, Any], name: str = "", depth: int = 0) -> Any:
        if "$ref" in schema:
            return self.of(self._shapes[schema["$ref"].rpartition("/")[2]], name, depth)
        if schema.get("examples"):
            return schema["examples"][0]
        for fixed in ("const", "default"):
            if schema.get(fixed) is not None:
                return schema[fixed]
        if "enum" in schema:
            return next((each for each in schema["enum"] if each in _USUAL), schema["enum"][0])
        choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if choices:
            return self._choice(choices, name, depth)
        return self._typed(schema, name, depth)

    def _choice(self, choices: list[Any], name: str, depth: int) -> Any:
        """Null where it is allowed, unless the name of the field says what belongs there."""
        can_be_null = any(each.get("type") == "null" for each in choices)
        if can_be_null and name and not self._is_request and name not in _VALUES:
            return None
        return self.of(next(each for each in choices if each.get("type") != "null"), name, depth)

    def _typed(self, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = kind[0]
        if kind == "object" or "properties" in schema:
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, name, depth)
        if kind == "string":
            return _string(schema, name)
        if kind in ("integer", "number"):
            return _number(schema, whole=kind == "integer")
        return False if kind == "boolean" else {}

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        fields = schema.get("properties", {})
        required = schema.get("required", [])
        if self._is_request or depth >= _MOST_DEPTH:
            # Messages of OpenAI's API need no content, and are useless without.
            told = [each for each in fields if each == "content" and each not in required]
            wanted = [*required, *told] or ([] if depth else [*fields][:1])
        else:
            wanted = [*fields]
        return {each: self.of(fields[each], each, depth + 1) for each in wanted}

    def _array(self, schema: Mapping[str, Any], name: str, depth: int) -> list[Any]:
        if "prefixItems" in schema:
            return [self.of(each, name, depth + 1) for each in schema["prefixItems"]]
        least = schema.get("minItems", 0)
        if depth >= _MOST_DEPTH and not least:
            return []
        return [self.of(schema.get("items", {}), name, depth + 1)] * max(least, 1)


def _string(schema: Mapping[str, Any], name: str) -> str:
    if schema.get("format") in _BY_FORMAT:
        return _BY_FORMAT[schema["format"]]
    if name in ("id", "ids") or name.endswith(("_id", "_ids")):
        return _ID
    text = str(_VALUES.get(name, name.replace("_", " ") if schema.get("minLength") else ""))
    return text[: schema.get("maxLength", len(text))]


def _number(schema: Mapping[str, Any], *, whole: bool) -> float:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", schema.get("exclusiveMaximum"))
    if whole:
        return max(least or 0, min(1, 1 if most is None else most)) or 1
    return 0.5 if (least is None or least < 0.5) and (most is None or most > 0.5) else max(least or 0, 1)
