/** What the metrics say, as figures with a name. Pure. */
import type { Metrics } from "../api/types";
import { count } from "../text/numbers";

export interface Figure {
  name: string;
  value: string;
  note?: string;
}

export function figuresOf(found: Metrics, now: Date): Figure[] {
  return [
    { name: "Memories", value: count(found.memories), note: `${found.memories_per_day} new a day` },
    { name: "Indexed", value: percent(found.index_coverage), note: `of ${count(found.passages)} texts` },
    { name: "Last capture", value: ago(found.last_capture_at, now) },
    { name: "Messages", value: count(found.messages), note: `in ${count(found.conversations)} conversations` },
    { name: "Summaries", value: count(found.summaries) },
    { name: "Tool calls", value: count(found.tools_24h), note: "in 24 hours" },
    { name: "File operations", value: count(found.file_operations_24h), note: "in 24 hours" },
    { name: "Misses", value: count(found.misses_24h), note: "in 24 hours" },
    { name: "Queue", value: count((found.queue.ready ?? 0) + (found.queue.running ?? 0)), note: queueNote(found) },
    { name: "Tokens a prompt", value: found.tokens_per_prompt === null ? "–" : count(found.tokens_per_prompt) },
  ];
}

/** The highest first; of equals, in the order of their names. */
export function ranked(counts: Record<string, number>): [name: string, count: number][] {
  return Object.entries(counts).sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
}

export function ago(at: string | null, now: Date): string {
  if (at === null) return "never";
  const minutes = Math.floor((now.getTime() - new Date(at).getTime()) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / (24 * 60))} d ago`;
}

function percent(share: number): string {
  // What is not all of it must not be rounded up to it.
  return `${Math.floor(share * 100)} %`;
}

function queueNote(found: Metrics): string {
  const dead = found.queue.dead ?? 0;
  if (found.queue_paused) return "paused";
  return dead ? `${count(dead)} given up` : "waiting";
}
