/** Names and icons for the kinds of memories. */
import type { Category, Knower, Memory, MemoryType, Revision, Status } from "../api/types";
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
  ["active", "Active"],
  ["pending", "Needs review"],
  ["superseded", "Outdated"],
  ["rejected", "Marked as wrong"],
  ["deleted", "Forgotten"],
];

export const iconOf = (type: string): InterfaceIcon => ICONS[type as MemoryType] ?? "sticky_note_2";

/** Where the name itself is not plain enough. */
const PLAIN: Record<string, string> = {
  CANON_RULING: "Game master ruling",
  DECISION_POINT: "Story decision",
  ERROR_LESSON: "Lesson from a mistake",
};

/** As in “Plot thread”. */
export function worded(name: string): string {
  if (PLAIN[name]) return PLAIN[name];
  const words = name.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const statusOf = (status: Status): string => STATUSES.find(([name]) => name === status)?.[1] ?? status;

/** The status of a memory; one that was merged into another is not called outdated. */
export function statusLabel({ status, extra }: Pick<Memory, "status" | "extra">): string {
  return status === "superseded" && extra["merged"] === true ? "Merged" : statusOf(status);
}

export const SHARING: [visibility: Memory["visibility"], label: string][] = [
  ["normal", "Can be shared"],
  ["secret", "Never as gossip"],
  ["private", "This chat only"],
];

export const sharingOf = (visibility: string): string => SHARING.find(([name]) => name === visibility)?.[1] ?? visibility;

const ORIGINS: Record<Memory["origin"], string> = {
  extractor: "Learned from a message",
  keyframe: "Learned from part of a chat",
  analysis: "Learned when the whole chat was analyzed",
  digest: "Learned from the session summary",
  user: "Added by hand",
  gm: "Added by the game master",
  import: "Imported",
};

export const originOf = ({ origin }: Memory): string => ORIGINS[origin];

const WHYS: Record<Revision["why"], string> = {
  edit: "Edited",
  merge: "Merged",
  reinforcement: "Confirmed again",
  correction: "Corrected",
  supersession: "Replaced by something newer",
  approval: "Approved",
  rejection: "Marked as wrong",
  withdrawal: "Forgotten",
  rescoring: "Importance updated",
};

export const whyOf = ({ why }: Revision): string => WHYS[why];

/** The label of a link, as seen from this memory and from the other one. */
const LINKS: Record<string, [to: string, from: string]> = {
  related: ["Related to", "Related to"],
  supersedes: ["Replaces", "Replaced by"],
  corrects: ["Corrects", "Corrected by"],
  contradicts: ["Contradicts", "Contradicted by"],
  derived: ["Derived from", "Led to"],
};

export function linkedBy(kind: string, isFromHere: boolean): string {
  return LINKS[kind]?.[isFromHere ? 0 : 1] ?? worded(kind);
}

/** How somebody came to know a memory. */
export const HOW: Record<Knower["how"], string> = {
  witnessed: "learned it in a chat",
  authored: "added directly",
  told: "heard it from someone",
};

/** As in “heard it from you in a chat”. `speakers`: who wrote the source messages. */
export function sourceOf(
  { how, person_id, from_name }: Pick<Knower, "how" | "person_id" | "from_name">,
  speakers: readonly string[],
  namesOf: (ids: readonly string[]) => string,
): string {
  if (how === "told" && from_name) return `heard it from ${from_name}`;
  if (how !== "witnessed" || !speakers.length) return HOW[how];
  if (speakers.includes(person_id)) return "said it in a chat";
  return `heard it from ${namesOf(speakers).replace(/^You\b/, "you")} in a chat`;
}
