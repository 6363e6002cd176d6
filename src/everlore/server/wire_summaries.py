"""What REST says of summaries (C7)."""

from datetime import datetime

from pydantic import BaseModel

from everlore.domain.conversation import Summary


class SummaryOut(BaseModel):
    """What stands in prompts for the messages from `first_seq` to `last_seq`. `level` 0 is of messages, each higher one
    of summaries; `extractive`: quoted, because no model answered; `persons`: those who were there for all of it."""

    id: str
    conversation_id: str
    level: int
    first_seq: int
    last_seq: int
    content: str
    extractive: bool
    persons: tuple[str, ...]
    private: bool
    created_at: datetime


class SummaryList(BaseModel):
    items: list[SummaryOut]
    next: str | None


class SummedUp(BaseModel):
    """`made` is empty where nobody waited."""

    jobs: list[str]
    made: list[SummaryOut]


def summary_of(summary: Summary) -> SummaryOut:
    return SummaryOut(**{name: getattr(summary, name) for name in SummaryOut.model_fields})
