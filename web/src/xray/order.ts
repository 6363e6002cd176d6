/** A prompt in the order in which the model reads it: the start, the chat, and what comes late. */
import type { PromptMemory, PromptSection, PromptTalk } from "../api/types";

export type Place = PromptSection["place"];

export interface Group {
  place: Place;
  title: string;
  sections: PromptSection[];
}

const PLACES: [place: Place, title: string][] = [
  ["start", "At the start"],
  ["talk", "Chat"],
  ["late", "Before the last message"],
  ["end", "At the end"],
];
const ROLES = ["system", "user", "assistant"];
const ROLE_NAMES: Record<string, string> = { system: "Instructions", user: "You", assistant: "Character" };

/** Whose words they are to the model. */
export const roleName = (role: string): string => ROLE_NAMES[role] ?? role;

/** The talk has its place even when no section is in it. */
export function groupsOf(sections: PromptSection[]): Group[] {
  return PLACES.map(([place, title]) => ({
    place,
    title,
    sections: sections.filter((each) => each.place === place).toSorted((a, b) => rank(a) - rank(b)),
  })).filter(({ place, sections }) => place === "talk" || sections.length > 0);
}

/** Introductions come after the system's words, whose last are those of the old part of the talk. */
function rank({ role, part }: PromptSection): number {
  return 2 * ROLES.indexOf(role) + (part === "summary" ? 1 : 0);
}

const FIDELITIES = { full: "verbatim", compressed: "shortened", placeholder: "omitted" };

export function fidelityOf({ fidelity, state }: PromptTalk): string {
  return state === "cut" ? `${FIDELITIES[fidelity]}, cut` : FIDELITIES[fidelity];
}

/** Old messages are told by the system; whose words they were stands in what it says. */
export function wordsOf({ role, text, fidelity }: PromptTalk): string {
  if (text) return role === "system" ? text : `${roleName(role)}: ${text}`;
  if (fidelity === "full") return roleName(role);
  return fidelity === "compressed" ? "shortened" : "not shown to the model";
}

/** As in “5 verbatim, 12 shortened”. Runs of old messages count as many as they hold. */
export function tally(talk: PromptTalk[]): string {
  const counts = new Map<string, number>();
  for (const each of talk) {
    const name = FIDELITIES[each.fidelity];
    counts.set(name, (counts.get(name) ?? 0) + each.last - each.first + 1);
  }
  return Object.values(FIDELITIES)
    .filter((name) => counts.has(name))
    .map((name) => `${counts.get(name)} ${name}`)
    .join(", ");
}

/** Those that stand in the prompt, and those that were left out; the best of each first. */
export function sorted(memories: PromptMemory[]): { told: PromptMemory[]; leftOut: PromptMemory[] } {
  const best = memories.toSorted((a, b) => b.score - a.score);
  return { told: best.filter((each) => !each.left_out), leftOut: best.filter((each) => each.left_out) };
}
