/** Kinds of memories in words and pictures. */
import type { Category, Interaction, Knower, Memory, MemoryType, Revision, Status } from "../api/types";
import type { InterfaceIcon } from "../look/interface-icons";

const ICONS: Record<MemoryType, InterfaceIcon> = {
  FACT: "fact_check",
  RELATIONSHIP: "diversity_3",
  DISCOVERY: "travel_explore",
  DECISION: "gavel",
  INSIGHT: "lightbulb",
  OUTCOME: "flag",
  EVENT: "event",
  NOTE: "sticky_note_2",
  EMOTION: "mood",
  BEHAVIOR: "directions_walk",
  ERROR_LESSON: "report",
  PERSONALITY: "face",
  PREFERENCE: "favorite",
  RULE: "rule",
  GOAL: "target",
  SKILL: "construction",
  EXPERIENCE: "luggage",
  PROJECT: "work",
  STORY: "auto_stories",
  PREMISE: "auto_stories",
  SETTING: "map",
  TONE: "palette",
  FACTION: "shield",
  THEME: "palette",
  CANON_RULING: "gavel",
  PLOT_THREAD: "conversion_path",
  SCENE: "theater_comedy",
  DECISION_POINT: "call_split",
  MOMENT: "bolt",
  SUMMARY: "summarize",
};

export const TYPES = Object.keys(ICONS) as MemoryType[];
export const CATEGORIES: Category[] = ["personal_info", "preference", "experience", "relationship", "goal", "skill"];
export const STATUSES: [status: Status, label: string][] = [
  ["active", "Held to be true"],
  ["pending", "Waiting for a decision"],
  ["superseded", "No longer so"],
  ["rejected", "Said to be wrong"],
  ["deleted", "Forgotten"],
];

export const iconOf = (type: string): InterfaceIcon => ICONS[type as MemoryType] ?? "sticky_note_2";

/** As in “Error lesson”. */
export function worded(name: string): string {
  const words = name.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const statusOf = (status: Status): string => STATUSES.find(([name]) => name === status)?.[1] ?? status;

const ORIGINS: Record<Memory["origin"], string> = {
  extractor: "Learnt from what was said",
  keyframe: "Formed of a stretch of the conversation",
  analysis: "Formed when the conversation was looked at as a whole",
  digest: "Formed when the session was read as a whole",
  user: "Written by hand",
  gm: "Written by the game master",
  import: "Brought in from elsewhere",
};

export const originOf = ({ origin }: Memory): string => ORIGINS[origin];

const WHYS: Record<Revision["why"], string> = {
  edit: "Edited",
  merge: "Merged",
  reinforcement: "Heard again",
  correction: "Corrected",
  supersession: "Overtaken by something newer",
  approval: "Approved",
  rejection: "Said to be wrong",
  withdrawal: "Withdrawn",
  rescoring: "Weighed anew",
};

export const whyOf = ({ why }: Revision): string => WHYS[why];

/** What a link means, read from this memory to the other. */
const LINKS: Record<string, [to: string, from: string]> = {
  related: ["Related to", "Related to"],
  supersedes: ["Takes the place of", "Overtaken by"],
  corrects: ["Corrects", "Corrected by"],
  contradicts: ["Contradicts", "Contradicted by"],
  derived: ["Derived from", "Led to"],
};

export function linkedBy(kind: string, isFromHere: boolean): string {
  return LINKS[kind]?.[isFromHere ? 0 : 1] ?? worded(kind);
}

export function told({ type, actor_outcome, state }: Interaction): string {
  return [worded(type), worded(actor_outcome), worded(state)].join(" · ");
}

/** How somebody came to know a memory. */
export const HOW: Record<Knower["how"], string> = {
  witnessed: "was there",
  authored: "has it in writing",
  told: "was told",
};
