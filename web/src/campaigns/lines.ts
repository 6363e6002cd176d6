/** Lists that people write into a field. */

/** One to a line. */
export const linesOf = (text: string): string[] => parts(text, "\n");

/** With commas between them. */
export const namesIn = (text: string): string[] => parts(text, ",");

function parts(text: string, between: string): string[] {
  return text
    .split(between)
    .map((each) => each.trim())
    .filter(Boolean);
}
