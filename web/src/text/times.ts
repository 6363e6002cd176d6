/** Moments in the words of whoever reads them. */
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const shortDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });

export const clockTime = (moment: string): string => clock.format(new Date(moment));
export const dayName = (moment: string): string => day.format(new Date(moment));
/** With its year. */
export const dayOf = (moment: string): string => wholeDay.format(new Date(moment));
export const fullTime = (moment: string): string => full.format(new Date(moment));

export function isSameDay(one: string, other: string): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** For lists: the time today, the day before. */
export function shortTime(moment: string, now: Date): string {
  return isSameDay(moment, now.toISOString()) ? clockTime(moment) : shortDay.format(new Date(moment));
}
