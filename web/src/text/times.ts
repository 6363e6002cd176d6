/** Dates, times and durations, in the reader's time zone and date format. */
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const dayAndYear = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const shortDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The largest unit that fits, with its length in seconds. */
const UNITS = [
  ["year", 365.25 * DAY],
  ["month", 30.44 * DAY],
  ["week", 7 * DAY],
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
] as const;

export const clockTime = (moment: string): string => clock.format(new Date(moment));
/** A medium date with its year: "Mar 4, 2026". */
export const dayOf = (moment: string): string => wholeDay.format(new Date(moment));
export const fullTime = (moment: string): string => full.format(new Date(moment));

/** "Wednesday, March 4"; with the year where it is not this year. */
export function dayName(moment: string, now = new Date()): string {
  const date = new Date(moment);
  return (date.getFullYear() === now.getFullYear() ? day : dayAndYear).format(date);
}

export function isSameDay(one: string, other: string): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** For lists: the time if it is today, otherwise the day, with the year where it is not this year. */
export function shortTime(moment: string, now: Date): string {
  const date = new Date(moment);
  if (date.toDateString() === now.toDateString()) return clock.format(date);
  return (date.getFullYear() === now.getFullYear() ? shortDay : wholeDay).format(date);
}

/** "today, 1:39 AM", "yesterday, 1:39 AM", "Mar 4, 1:39 AM"; of another year the day alone. */
export function nearTime(moment: string, now: Date): string {
  const date = new Date(moment);
  const midnight = (each: Date) => new Date(each).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(date) - midnight(now)) / (DAY * 1000));
  if (Math.abs(days) <= 1) return `${relative.format(days, "day")}, ${clock.format(date)}`;
  return date.getFullYear() === now.getFullYear() ? `${shortDay.format(date)}, ${clock.format(date)}` : wholeDay.format(date);
}

/** "3 days ago", "yesterday", "in 2 weeks", "just now". */
export function timeAgo(moment: string, now = new Date()): string {
  const seconds = (new Date(moment).getTime() - now.getTime()) / 1000;
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  return unit ? relative.format(Math.round(seconds / unit[1]), unit[0]) : "just now";
}

/** "2 minutes", "1 hour", "40 seconds": one unit, rounded. */
export function duration(seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? (["second", 1] as const);
  return new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" }).format(Math.round(seconds / length));
}
