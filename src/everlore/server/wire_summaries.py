"""Answers for summaries (C7)."""

from pydantic import BaseModel

from everlore.domain.conversation import Summary
from everlore.server.wire import RecordModel


class SummaryOut(RecordModel, record=Summary):
    """What stands in prompts for the messages from `first_seq` to `last_seq`. `level` 0 is of messages, each higher one
    of summaries; `extractive`: quoted, because no model answered; `persons`: those who were there for all of it."""


class SummedUp(BaseModel):
    """`made` is empty where nobody waited."""

    jobs: list[str]
    made: list[SummaryOut]
