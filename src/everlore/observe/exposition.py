"""The metrics of a workspace for Prometheus (C9)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from everlore.observe.metrics import Metrics

if TYPE_CHECKING:
    # Imported here because it reads the environment, and few users need it.
    from prometheus_client.core import Metric
    from prometheus_client.registry import Collector


def exposition(workspace: str, found: Metrics) -> str:
    """The text format of Prometheus."""
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry(auto_describe=False)
    registry.register(cast("Collector", _Found(workspace, found)))
    return generate_latest(registry).decode()


@dataclass(frozen=True, eq=False)
class _Found:
    workspace: str
    metrics: Metrics

    def collect(self) -> Iterator["Metric"]:
        found = self.metrics
        yield self._by("memories", "Memories by type.", "type", found.memories_by_type)
        yield self._by("memories_by_status", "Memories by status.", "status", found.memories_by_status)
        yield self._by("events", "Captured events by type.", "type", found.events_by_type)
        yield self._one("messages", "Messages in the log.", found.messages)
        yield self._one("conversations", "Conversations.", found.conversations)
        yield self._one("summaries", "Summaries of conversations.", found.summaries)
        yield self._one("index_passages", "Texts that can be found.", found.passages)
        yield self._one("index_coverage_ratio", "Share of them that is indexed by meaning.", found.index_coverage)
        if found.last_capture_at is not None:
            at = found.last_capture_at.timestamp()
            yield self._one("last_capture_timestamp_seconds", "When anything was kept last.", at)
        yield self._one("tool_invocations_24h", "Tool calls captured in 24 hours.", found.tools_24h)
        yield self._one("file_operations_24h", "File operations in 24 hours.", found.file_operations_24h)
        yield self._one("memories_per_day", "New memories a day, over seven days.", found.memories_per_day)
        yield self._by("queue_jobs", "Jobs of the queue by state.", "state", found.queue)
        yield self._one("queue_paused", "1 while the queue is paused.", int(found.queue_paused))
        yield self._by("readings", "What was read for memories.", "extractor", found.read, counts=True)
        yield self._by("filtered", "What filters stopped.", "filter", found.filtered, counts=True)
        yield self._one("misses", "Messages for which nothing came back.", found.misses)
        yield self._one("prompts_answered", "Prompts that were answered.", found.prompts)
        if found.tokens_per_prompt is not None:
            yield self._one("prompt_tokens_mean", "Tokens of a prompt, on average.", found.tokens_per_prompt)

    def _one(self, name: str, about: str, value: float) -> "Metric":
        from prometheus_client.core import GaugeMetricFamily

        family = GaugeMetricFamily(f"everlore_{name}", about, labels=["workspace"])
        family.add_metric([self.workspace], value)
        return family

    def _by(self, name: str, about: str, label: str, values: Mapping[str, int], *, counts: bool = False) -> "Metric":
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        kind = CounterMetricFamily if counts else GaugeMetricFamily
        family = kind(f"everlore_{name}", about, labels=["workspace", label])
        for key, value in values.items():
            family.add_metric([self.workspace, key], value)
        return family
