/**
 * Timeline entries: events and interactions in one order. Pure functions.
 *
 * Start at `ofEvent`, `ofInteraction` and `together`.
 */
import type { EventQuery, InteractionQuery } from "../api/whole";
import type { Event, EventType, Interaction } from "../api/types";
import { momentOf } from "../memories/filter";
import { addressOf } from "../places";
import { eventName, eventWords, interactionName } from "./labels";

export type Kind = "talk" | "interaction" | "work" | "thought" | "summary";

export interface Entry {
  id: string;
  kind: Kind;
  /** A plain label: "Tool used", "Help". */
  type: string;
  at: string;
  endedAt: string | null;
  goesOn: boolean;
  words: string;
  persons: readonly string[];
  tone: "positive" | "neutral" | "negative";
  conversationId: string | null;
}

export const KINDS: Record<Kind, { label: string; types: EventType[] }> = {
  talk: { label: "Chats", types: ["interact", "conversation"] },
  interaction: { label: "Interactions", types: [] },
  work: {
    label: "Actions",
    types: ["tool_invocation", "file_read", "file_write", "code_approval", "code_rejection", "task"],
  },
  thought: { label: "Observations", types: ["observation", "reflection", "dream"] },
  summary: { label: "Summaries", types: ["summary"] },
};
const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** Empty means not set. `zoom` is the unit of the columns, `event` the one whose details are open. */
export interface Filter {
  person: string;
  kind: Kind | "";
  since: string;
  until: string;
  zoom: string;
  event: string;
}

export function filterOf(query: URLSearchParams): Filter {
  const of = (name: string) => query.get(name) ?? "";
  const kind = KIND_NAMES.find((name) => name === of("kind")) ?? "";
  return { person: of("person"), kind, since: of("since"), until: of("until"), zoom: of("zoom"), event: of("event") };
}

export function ofEvent(event: Event): Entry {
  const { id, type, at, ended_at, state, actors, participants, conversation_id } = event;
  return {
    id,
    kind: KIND_NAMES.find((name) => KINDS[name].types.includes(type)) ?? "work",
    type: eventName(type),
    at,
    endedAt: ended_at,
    goesOn: state === "in_progress",
    words: eventWords(event),
    persons: [...new Set([...actors, ...participants])],
    tone: "neutral",
    conversationId: conversation_id,
  };
}

export function ofInteraction(interaction: Interaction): Entry {
  const { id, type, tone, description, actor_id, interactor_id, conversation_id, started_at, ended_at } = interaction;
  return {
    id,
    kind: "interaction",
    type: interactionName(type),
    at: started_at,
    endedAt: ended_at,
    goesOn: interaction.state === "in_progress",
    words: description,
    persons: [actor_id, interactor_id],
    tone,
    conversationId: conversation_id,
  };
}

/** The query for events, or null if the filter excludes them. */
export function eventQuery({ person, kind, since, until }: Filter): EventQuery | null {
  if (kind === "interaction") return null;
  return { ...within(person, since, until), ...(kind && { type: KINDS[kind].types }) };
}

export function interactionQuery({ person, kind, since, until }: Filter): InteractionQuery | null {
  return kind && kind !== "interaction" ? null : within(person, since, until);
}

function within(person: string, since: string, until: string): InteractionQuery {
  return {
    ...(person && { person_id: person }),
    ...(since && { since: new Date(`${since}T00:00:00`).toISOString() }),
    ...(until && { until: momentOf(until) }),
  };
}

/** Whether a live entry matches the filter. Entries that started earlier and reach into the time match too. */
export function fits(entry: Entry, { person, kind, since, until }: Filter): boolean {
  const { since: from, until: to } = within("", since, until);
  const [began, ended] = [Date.parse(entry.at), entry.goesOn ? Infinity : Date.parse(entry.endedAt ?? entry.at)];
  return (
    (!person || entry.persons.includes(person)) &&
    (!kind || entry.kind === kind) &&
    (!from || Math.max(began, ended) >= Date.parse(from)) &&
    (!to || began < Date.parse(to))
  );
}

/**
 * Merges lists that are sorted newest first. Entries older than the end of a partly loaded list are held back, because
 * its next page may belong before them.
 */
export function together(lists: { entries: Entry[]; goesOn: boolean }[]): Entry[] {
  const ends = lists.filter(({ goesOn }) => goesOn).map(({ entries }) => timeOf(entries.at(-1)));
  const horizon = Math.max(-Infinity, ...ends);
  return lists
    .flatMap(({ entries }) => entries)
    .filter((entry) => timeOf(entry) >= horizon)
    .toSorted((a, b) => timeOf(b) - timeOf(a) || a.id.localeCompare(b.id));
}

/** Inserts or replaces an entry, keeping the order. */
export function put(entries: Entry[], entry: Entry): Entry[] {
  const others = entries.filter(({ id }) => id !== entry.id);
  const before = others.findIndex((each) => timeOf(each) <= timeOf(entry));
  return others.toSpliced(before < 0 ? others.length : before, 0, entry);
}

/** The chat it belongs to, or its details. */
export function sourceOf({ id, conversationId }: Entry, filter?: Filter): string {
  if (conversationId) return addressOf("chat", { id: conversationId });
  return addressOf("timeline", {}, { ...filter, event: id });
}

function timeOf(entry: Entry | undefined): number {
  return entry ? Date.parse(entry.at) : -Infinity;
}
