"""The forms of a question that are compared with records (R2, R4). Pure."""

from dataclasses import dataclass

from everlore.recall.names import QueryNames, without_names
from everlore.recall.topic import topic_of


@dataclass(frozen=True, slots=True)
class Wording:
    """A question as it is; without the names of the people it is about, because they do not say them; the topic of that
    alone; and the topic as they would say it themselves."""

    words: str
    bare: str
    topic: str
    personal: str

    @classmethod
    def of(cls, words: str, named: QueryNames) -> "Wording":
        topic = topic_of(words)
        return cls(
            words,
            without_names(words, named.names),
            without_names(topic, named.names),
            without_names(topic, named.names, personal=True),
        )

    def texts(self, *, with_lines: bool) -> list[str]:
        """The texts to embed: only lines of conversations are compared with more than the question itself."""
        return [self.words, self.topic, self.personal] if with_lines else [self.words]
