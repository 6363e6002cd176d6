"""Questions that have nothing to do with anybody's life: none of them should bring a memory back.

Those of the kind `held back` are for judging: no threshold was ever chosen with them in view, and none should be.
"""

from importlib.resources import files

from benchmarks.recall.cases import OffTopicQuestion, lines_of

_NAME = "off_topic.jsonl"


def off_topic_questions() -> list[OffTopicQuestion]:
    data = files("benchmarks.recall").joinpath(_NAME).read_bytes()
    return [OffTopicQuestion(line["kind"].text, line["question"].text) for line in lines_of(data, _NAME)]
