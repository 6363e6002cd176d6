/**
 * The filters of the memory list, as they are written in the address. Pure functions.
 *
 * Start at `filterOf` and `fits`.
 */
import type { MemoryQuery, Question } from "../api/client";
import type { Category, Memory, MemoryType, Status } from "../api/types";

/** Empty means not set. Days have the format of a date field. */
export interface Filter {
  words: string;
  person: string;
  partner: string;
  type: MemoryType | "";
  category: Category | "";
  status: Status | "";
  campaign: string;
  since: string;
  until: string;
  asOf: string;
}

export const NOTHING: Filter = {
  words: "",
  person: "",
  partner: "",
  type: "",
  category: "",
  status: "",
  campaign: "",
  since: "",
  until: "",
  asOf: "",
};

const NAMES = Object.keys(NOTHING) as (keyof Filter)[];
const DAY_MS = 86_400_000;

export function filterOf(query: URLSearchParams): Filter {
  const given = NAMES.map((name) => [name, query.get(name) ?? ""] as const);
  return Object.fromEntries(given) as unknown as Filter;
}

/** How many filters are set, besides the search text. */
export function narrowed(filter: Filter): number {
  return NAMES.filter((name) => name !== "words" && filter[name]).length;
}

export const isAsOf = (filter: Filter): boolean => filter.asOf !== "";

/** The end of that day in the local time zone. */
export function momentOf(day: string): string {
  return new Date(startOf(day) + DAY_MS).toISOString();
}

export function queryOf(filter: Filter): MemoryQuery {
  const query = {
    person_id: filter.person,
    partner_id: filter.person && filter.partner,
    type: filter.type && [filter.type],
    category: filter.category && [filter.category],
    status: filter.status && [filter.status],
    campaign_id: filter.campaign,
    since: filter.since && new Date(startOf(filter.since)).toISOString(),
    until: filter.until && momentOf(filter.until),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value)) as MemoryQuery;
}

export function questionOf(filter: Filter): Question {
  return {
    query: filter.words,
    ...(filter.person && { person_id: filter.person }),
    ...(filter.person && filter.partner && { partner_id: filter.partner }),
    ...(filter.campaign && { campaign_id: filter.campaign }),
    ...(filter.type && { types: [filter.type] }),
    ...(filter.asOf && { as_of: momentOf(filter.asOf) }),
  };
}

/** Whether a memory belongs in the list. Forgotten ones are shown only when asked for. */
export function fits(memory: Memory, filter: Filter): boolean {
  const made = Date.parse(memory.created_at);
  return (
    (filter.status ? memory.status === filter.status : memory.status !== "deleted") &&
    (!filter.person || memory.persons.includes(filter.person)) &&
    (!filter.person || !filter.partner || memory.persons.includes(filter.partner)) &&
    (!filter.type || memory.type === filter.type) &&
    (!filter.category || memory.category === filter.category) &&
    (!filter.campaign || memory.campaign_id === filter.campaign) &&
    (!filter.since || made >= startOf(filter.since)) &&
    (!filter.until || made < startOf(filter.until) + DAY_MS)
  );
}

function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00`);
}
