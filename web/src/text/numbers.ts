/** Numbers, plurals and shares, in the reader's number format. */
const whole = new Intl.NumberFormat();
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const score = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const english = new Intl.PluralRules("en");
const SMALLEST = 0.001;

export const count = (number: number): string => whole.format(number);
export const twoDigits = (number: number): string => score.format(number);

/** "1 memory", "3 memories", "2 chats": `many` is only needed where it is not `one` with an "s". */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${noun(number, one, many)}`;
}

/** The noun alone, for a number that is shown elsewhere. */
export function noun(number: number, one: string, many = `${one}s`): string {
  return english.select(number) === "one" ? one : many;
}

/** A share that is not zero is never shown as zero. */
export function percentage(share: number): string {
  return share > 0 && share < SMALLEST ? `< ${percent.format(SMALLEST)}` : percent.format(share);
}

export const tokens = (number: number): string => counted(number, "token");
