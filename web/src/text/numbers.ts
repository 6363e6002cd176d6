/** Numbers in the manner of whoever reads them. */
const whole = new Intl.NumberFormat();
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const score = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const SMALLEST = 0.001;

export const count = (number: number): string => whole.format(number);
export const twoDigits = (number: number): string => score.format(number);

/** Something is never shown as nothing. */
export function percentage(share: number): string {
  return share > 0 && share < SMALLEST ? `< ${percent.format(SMALLEST)}` : percent.format(share);
}

export function tokens(number: number): string {
  return `${count(number)} ${number === 1 ? "token" : "tokens"}`;
}
