/** A score and what it is made of, in one line. */
import { twoDigits } from "../text/numbers";

export function scored(score: number, parts: Record<string, number>): string {
  const pieces = Object.entries({ score, ...parts });
  return pieces.map(([name, value]) => `${name.replaceAll("_", " ")} ${twoDigits(value)}`).join(" · ");
}
