/**
 * Who knows what, as a table: a row per memory, a column per person. Pure functions.
 *
 * Start at `columnsOf` and `pathOf`.
 */
import type { KnowingQuery } from "../api/whole";
import type { Knower, Memory, MemoryKnown } from "../api/types";
import { counted } from "../text/numbers";
import { dayOf } from "../text/times";

const HOW: Record<Knower["how"], string> = { witnessed: "witnessed", authored: "added directly", told: "heard" };

/** What is not set is empty. `person`: whom it is about; `knower`: who knows it. */
export interface Filter {
  words: string;
  person: string;
  knower: string;
  view: "" | "list";
}

export function filterOf(query: URLSearchParams): Filter {
  const of = (name: string) => query.get(name) ?? "";
  return { words: of("words"), person: of("person"), knower: of("knower"), view: of("view") === "list" ? "list" : "" };
}

export function queryOf({ words, person, knower }: Filter): KnowingQuery {
  return { ...(words && { query: words }), ...(person && { person_id: person }), ...(knower && { knower_id: knower }) };
}

/** Whether a row belongs there, whatever the words. */
export function fits({ memory, knowers }: MemoryKnown, { person, knower }: Filter): boolean {
  return (
    memory.status === "active" &&
    (!person || memory.persons.includes(person)) &&
    (!knower || knowers.some(({ person_id }) => person_id === knower))
  );
}

/** Everybody who knows any of it: who was asked for first, then who knows most. */
export function columnsOf(rows: readonly MemoryKnown[], { person, knower }: Filter): string[] {
  const known = new Map<string, number>();
  for (const id of [knower, person]) if (id) known.set(id, 0);
  for (const { person_id } of rows.flatMap(({ knowers }) => knowers)) known.set(person_id, (known.get(person_id) ?? 0) + 1);
  const first = (id: string) => (id === knower ? 2 : id === person ? 1 : 0);
  return [...known.keys()].toSorted(
    (a, b) => first(b) - first(a) || (known.get(b) ?? 0) - (known.get(a) ?? 0) || a.localeCompare(b),
  );
}

export const knowerIn = ({ knowers }: MemoryKnown, id: string): Knower | undefined =>
  knowers.find(({ person_id }) => person_id === id);

export interface Step {
  id: string;
  /** “witnessed”, “heard”. */
  how: string;
  since: string | null;
}

/** The path by which a memory reached somebody: from the first witness to the person asked about. */
export function pathOf(row: MemoryKnown, knower: Knower): Step[] {
  return [...knower.chain, knower.person_id].map((id) => {
    const known = knowerIn(row, id);
    return { id, how: known ? HOW[known.how] : "shared it", since: known?.since ?? null };
  });
}

/** As in “heard from Mira (passed on 2 times), 3 May 2026”. */
export function wordsOf(knower: Knower, nameOf: (id: string) => string): string {
  const { how, from_id, degree, since } = knower;
  const source = how === "told" && from_id ? ` from ${nameOf(from_id)}` : "";
  const distance = degree > 1 ? ` (passed on ${counted(degree, "time")})` : "";
  return `${HOW[how]}${source}${distance}, ${dayOf(since)}`;
}

/** The rows with this one in its place: the latest first. `isWhole`: there are no more than these. */
export function put(rows: MemoryKnown[], row: MemoryKnown, isWhole: boolean): MemoryKnown[] {
  const at = rows.findIndex(({ memory }) => memory.id === row.memory.id);
  if (at >= 0) return rows.with(at, row);
  const before = rows.findIndex(({ memory }) => isBefore(memory, row.memory));
  if (before < 0 && !isWhole) return rows;
  return rows.toSpliced(before < 0 ? rows.length : before, 0, row);
}

export const without = (rows: MemoryKnown[], id: string): MemoryKnown[] => rows.filter(({ memory }) => memory.id !== id);

const isBefore = (one: Memory, other: Memory): boolean => Date.parse(one.created_at) <= Date.parse(other.created_at);
