"""The base classes of requests and answers. They stand beside their routes; the modules `wire_…` have shared ones."""

from dataclasses import fields
from inspect import get_annotations
from typing import Annotated, Any, Generic, Self, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field

from everlore.interchange.report import Report

Text = Annotated[str, Field(max_length=2_000_000)]

M = TypeVar("M", bound=BaseModel)


class Given(BaseModel):
    """A request: what it does not know is refused, so that a slip in a name is not lost in silence."""

    model_config = ConfigDict(extra="forbid")


class RecordModel(BaseModel):
    """An answer with the fields of a record, `without` some of them, beside the fields that the class itself declares.

    A field that is added to a record becomes part of the answer unless `without` names it; the workspace never does.
    """

    model_config = ConfigDict(from_attributes=True)

    def __init_subclass__(cls, record: Any = None, without: tuple[str, ...] = (), **config: Any) -> None:
        super().__init_subclass__(**config)
        if record is None:
            return
        types = get_type_hints(record)
        unknown = {*without} - {*types}
        assert not unknown, f"{record.__name__} has no {unknown}"
        shown = {each.name: types[each.name] for each in fields(record) if each.name not in ("workspace", *without)}
        cls.__annotations__ = shown | get_annotations(cls)

    @classmethod
    def of(cls, record: object, **computed: Any) -> Self:
        """`computed`: the fields that the record does not have, or has in another form."""
        return cls(**{name: getattr(record, name) for name in cls.model_fields if name not in computed}, **computed)


class ListOf(BaseModel, Generic[M]):
    """A page of a list; `next` is the cursor of the page after it."""

    items: list[M]
    next: str | None


class ImportReport(RecordModel, record=Report):
    """What an import made of a file, in sentences."""
