"""Answers take their fields from records."""

from dataclasses import dataclass

import pytest

from everlore.server.wire import RecordModel


@dataclass(frozen=True)
class Pet:
    workspace: str
    name: str
    age: int
    chip: str


class PetOut(RecordModel, record=Pet, without=("chip",)):
    age: str
    is_old: bool


PET = Pet(workspace="w", name="Mo", age=14, chip="985-112")


def test_an_answer_has_the_fields_of_its_record_and_its_own() -> None:
    answer = PetOut.of(PET, age="14 years", is_old=True)

    assert answer.model_dump() == {"name": "Mo", "age": "14 years", "is_old": True}


def test_a_field_that_is_computed_must_be_given() -> None:
    with pytest.raises(AttributeError, match="is_old"):
        PetOut.of(PET, age="14 years")


def test_what_is_left_out_must_be_a_field_of_the_record() -> None:
    with pytest.raises(AssertionError, match="Pet has no"):
        type("Wrong", (RecordModel,), {}, record=Pet, without=("chips",))
