"""Answers for summaries (C7)."""

from pydantic import BaseModel

from everlore.domain.conversation import Summary
from everlore.server.wire import RecordModel


class SummaryOut(RecordModel, record=Summary):
    """Replaces the messages `first_seq` to `last_seq` in prompts. `level` 0 summarises messages, higher ones summaries;
    `extractive`: quoted, because no model answered; `persons` were present throughout."""


class SummedUp(BaseModel):
    """`made` is empty unless the request waited."""

    jobs: list[str]
    made: list[SummaryOut]
