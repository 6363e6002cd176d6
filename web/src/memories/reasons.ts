/** Why the server found a memory, and at which step it left one out. */
import type { WhyNot } from "../api/types";

const SEPARATOR = " · ";
const WEAK = "Weak match";

type Step = NonNullable<WhyNot["step"]>;

const STEPS: Record<Step, string> = {
  scope: "Not searched",
  candidates: "Not among the top results",
  floor: "Not similar enough",
  diversity: "Duplicate",
  limit: "Over the limit",
};

/** "Similarity 0.35 · 31% of keywords match" as a list. */
export function reasonsOf(why: string): string[] {
  return [...new Set(why.split(SEPARATOR).filter(Boolean))];
}

const PLAIN: [start: RegExp, plain: string][] = [
  [/keywords match/, "Matches the words"],
  [/^(Similarity|Example match)/, "Similar in meaning"],
];

/** The same in words, without numbers. */
export function plainReasonsOf(why: string): string[] {
  return [...new Set(reasonsOf(why).map((each) => PLAIN.find(([start]) => start.test(each))?.[1] ?? each))];
}

export const stepName = (step: Step): string => STEPS[step];

/** "Found, rank 6 (weak match)", or the step that left it out. */
export function verdictOf({ step, place, why }: WhyNot): string {
  if (step) return stepName(step);
  return `Found, rank ${place}${reasonsOf(why).includes(WEAK) ? " (weak match)" : ""}`;
}
