/** The metrics as named figures. Pure functions. */
import type { Metrics } from "../api/types";
import { count, noun, percentage, tokens } from "../text/numbers";
import { timeAgo } from "../text/times";

export interface Figure {
  name: string;
  value: string;
  note?: string;
}

export function figuresOf(found: Metrics, now: Date): Figure[] {
  return [
    { name: "Memories", value: count(found.memories), note: newNote(found) },
    { name: "Indexed for search", value: percent(found.index_coverage), note: `of ${count(found.passages)} ${noun(found.passages, "text")}` },
    { name: "Last message", value: found.last_capture_at ? timeAgo(found.last_capture_at, now) : "never" },
    { name: "Messages", value: count(found.messages), note: `in ${count(found.conversations)} ${noun(found.conversations, "chat")}` },
    { name: "Summaries", value: count(found.summaries) },
    { name: "Tool calls", value: count(found.tools_24h), note: "last 24 hours" },
    { name: "File operations", value: count(found.file_operations_24h), note: "last 24 hours" },
    { name: "Messages without a matching memory", value: count(found.misses_24h), note: "last 24 hours" },
    { name: "Queue", value: count((found.queue.ready ?? 0) + (found.queue.running ?? 0)), note: queueNote(found) },
    {
      name: "Average prompt",
      value: found.tokens_per_prompt === null ? "–" : tokens(Math.round(found.tokens_per_prompt)),
      note: "sent to the model for each reply",
    },
  ];
}

/** Highest first; equal counts by name. */
export function ranked(counts: Record<string, number>): [name: string, count: number][] {
  return Object.entries(counts).sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
}

/** A plain count: a rate would be misleading in the first days. */
function newNote({ memories_by_day: days }: Metrics): string {
  const counts = Object.values(days);
  const all = counts.reduce((sum, each) => sum + each, 0);
  return all === (counts.at(-1) ?? 0) ? `${count(all)} new today` : `${count(all)} new in the last ${counts.length} days`;
}

function percent(share: number): string {
  // Rounded down: 99.9 % must not look complete.
  return percentage(Math.floor(share * 100) / 100);
}

function queueNote(found: Metrics): string {
  const dead = found.queue.dead ?? 0;
  if (found.queue_paused) return "paused";
  return dead ? `${count(dead)} failed` : "waiting";
}
