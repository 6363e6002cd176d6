/**
 * Groups entries by year, month, day or hour in the reader's time zone. Pure functions.
 *
 * Start at `periodsOf`.
 */
import type { Entry } from "./entries";

export const UNITS = ["year", "month", "day", "hour"] as const;
export type Unit = (typeof UNITS)[number];

export interface Period {
  key: string;
  start: Date;
  end: Date;
  label: string;
  /** The number of empty units before it. */
  gap: number;
  /** In the order of the input. */
  entries: Entry[];
}

const DAY_MS = 86_400_000;
const FORMATS: Record<Unit, Intl.DateTimeFormat> = {
  year: new Intl.DateTimeFormat(undefined, { year: "numeric" }),
  month: new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short" }),
  day: new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" }),
  hour: new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }),
};

/** The unit that gives a handful of periods. */
export function unitFor(entries: readonly Entry[]): Unit {
  const times = entries.map(({ at }) => Date.parse(at));
  const days = (Math.max(...times) - Math.min(...times)) / DAY_MS;
  if (!(days > 2)) return "hour";
  if (days <= 60) return "day";
  return days <= 3 * 365 ? "month" : "year";
}

/** Earliest first; empty ones are only counted as a gap. */
export function periodsOf(entries: readonly Entry[], unit: Unit): Period[] {
  const found = new Map<number, Entry[]>();
  for (const entry of entries) {
    const start = startOf(new Date(entry.at), unit).getTime();
    const those = found.get(start);
    if (those) those.push(entry);
    else found.set(start, [entry]);
  }
  let before: Date | null = null;
  return [...found]
    .toSorted(([a], [b]) => a - b)
    .map(([time, those]) => {
      const start = new Date(time);
      const gap: number = before ? between(before, start, unit) - 1 : 0;
      before = start;
      const label = FORMATS[unit].format(start);
      return { key: `${unit} ${time}`, start, end: moved(start, unit, 1), label, gap, entries: those };
    });
}

/** Zooms into a period: the next smaller unit, and its first and last day. */
export function closer({ start, end }: Period, unit: Unit): { zoom: Unit; since: string; until: string } {
  const last = new Date(end.getTime() - 1);
  return { zoom: UNITS[Math.min(UNITS.indexOf(unit) + 1, UNITS.length - 1)]!, since: dayOf(start), until: dayOf(last) };
}

/** In the format of a date field. */
export function dayOf(date: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function startOf(date: Date, unit: Unit): Date {
  const [year, month, day, hour] = [date.getFullYear(), date.getMonth(), date.getDate(), date.getHours()];
  const at = UNITS.indexOf(unit);
  return new Date(year, at > 0 ? month : 0, at > 1 ? day : 1, at > 2 ? hour : 0);
}

function moved(start: Date, unit: Unit, by: number): Date {
  const moved = new Date(start);
  if (unit === "year") moved.setFullYear(start.getFullYear() + by);
  else if (unit === "month") moved.setMonth(start.getMonth() + by);
  else if (unit === "day") moved.setDate(start.getDate() + by);
  else moved.setHours(start.getHours() + by);
  return moved;
}

/** The number of units between two dates, rounded because of daylight saving time. */
function between(one: Date, other: Date, unit: Unit): number {
  const years = other.getFullYear() - one.getFullYear();
  if (unit === "year") return years;
  if (unit === "month") return years * 12 + other.getMonth() - one.getMonth();
  const days = (other.getTime() - one.getTime()) / DAY_MS;
  return Math.round(unit === "day" ? days : days * 24);
}
