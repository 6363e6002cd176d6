import { expect, test } from "vitest";
import type { Metrics } from "../src/api/types";
import { figuresOf, ranked } from "../src/activity/figures";

const NOW = new Date("2026-03-10T12:00:00Z");

function metrics(fields: Partial<Metrics> = {}): Metrics {
  return {
    at: NOW.toISOString(),
    memories: 0,
    memories_by_type: {},
    memories_by_status: {},
    events_by_type: {},
    messages: 0,
    conversations: 0,
    summaries: 0,
    passages: 0,
    embedded: 0,
    index_coverage: 1,
    last_capture_at: null,
    tools_24h: 0,
    file_operations_24h: 0,
    memories_by_day: {},
    memories_per_day: 0,
    queue: { ready: 0, running: 0, dead: 0 },
    queue_paused: false,
    read: {},
    filtered: {},
    misses: 0,
    misses_24h: 0,
    prompts: 0,
    tokens_per_prompt: null,
    ...fields,
  };
}

const valueOf = (name: string, fields: Partial<Metrics>) =>
  figuresOf(metrics(fields), NOW).find((figure) => figure.name === name);

test("what is nearly all is not called all", () => {
  expect(valueOf("Indexed for search", { index_coverage: 0.999 })?.value).toBe("99%");
  expect(valueOf("Indexed for search", { index_coverage: 1 })?.value).toBe("100%");
});

test("what waits and what runs is in the queue, and failed jobs are counted", () => {
  const queue = valueOf("Queue", { queue: { ready: 2, running: 1, dead: 4 } });
  expect(queue).toMatchObject({ value: "3", note: "4 failed" });
  expect(valueOf("Queue", { queue_paused: true })?.note).toBe("paused");
});

test("before the first prompt there is no mean", () => {
  expect(valueOf("Average prompt", {})?.value).toBe("–");
  expect(valueOf("Average prompt", { tokens_per_prompt: 1234.5 })?.value).toBe("1,235 tokens");
});

test.each([
  [null, "never"],
  ["2026-03-10T11:59:30Z", "just now"],
  ["2026-03-07T12:00:00Z", "3 days ago"],
  ["2024-09-22T12:00:00Z", "last year"],
])("the last message at %s is shown as %s", (last_capture_at, shown) => {
  expect(valueOf("Last message", { last_capture_at })?.value).toBe(shown);
});

test("there is no rate on the first day, only a count", () => {
  const today = { "2026-03-09": 0, "2026-03-10": 11 };
  expect(valueOf("Memories", { memories_by_day: today })?.note).toBe("11 new today");
  const week = { "2026-03-09": 4, "2026-03-10": 11 };
  expect(valueOf("Memories", { memories_by_day: week })?.note).toBe("15 new in the last 2 days");
});

test("one chat is not called chats", () => {
  expect(valueOf("Messages", { messages: 3, conversations: 1 })?.note).toBe("in 1 chat");
});

test("the highest count comes first", () => {
  expect(ranked({ a: 1, c: 5, b: 5 })).toEqual([
    ["b", 5],
    ["c", 5],
    ["a", 1],
  ]);
});
