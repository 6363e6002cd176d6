"""What a value must be, in plain words, from what the validator found."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_RULES = {
    "missing": "must be given",
    "string_type": "must be text",
    "string_too_short": "must have a length of at least {min_length}",
    "string_too_long": "must have a length of at most {max_length}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "tuple_type": "must be a list of texts, or one text",
    "dict_type": "must be an object with names and values",
    "model_type": "must be an object with names and values",
}


def requirement(error: "ErrorDetails") -> str:
    """Continues the name of the value: “must be a whole number”. `error` is an entry of `ValidationError.errors()`."""
    rule = _RULES.get(error["type"])
    return rule.format_map(error.get("ctx") or {}) if rule else f"is wrong: {error['msg']}"
