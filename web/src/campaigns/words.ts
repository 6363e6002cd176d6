/** Labels for the types and kinds of the server. */
import type { EntityKind, MemoryType } from "../api/campaigns";
import type { InterfaceIcon } from "../look/interface-icons";
import { worded } from "../memories/kinds";

export const typeName = (type: string): string => worded(type).toLowerCase();

/** The types a game master can add, the most usual first. */
export const WRITTEN: MemoryType[] = [
  "FACT",
  "PLOT_THREAD",
  "SETTING",
  "FACTION",
  "THEME",
  "TONE",
  "PREMISE",
  "RELATIONSHIP",
  "GOAL",
  "OUTCOME",
  "MOMENT",
  "NOTE",
];

export const KINDS: [kind: EntityKind, one: string, many: string, icon: InterfaceIcon][] = [
  ["npc", "character", "Characters", "person"],
  ["location", "place", "Places", "location_on"],
  ["item", "item", "Items", "category"],
  ["faction", "group", "Groups", "groups"],
  ["creature", "creature", "Creatures", "pets"],
  ["event", "event", "Events", "bolt"],
  ["person", "player", "Players", "person"],
  ["other", "other", "Other", "help"],
];

export const kindOf = (kind: EntityKind): string => KINDS.find(([each]) => each === kind)?.[1] ?? kind;
export const iconOf = (kind: EntityKind): InterfaceIcon => KINDS.find(([each]) => each === kind)?.[3] ?? "help";

/** The groups of a session summary, in display order. */
export const DIGEST: [type: MemoryType, title: string][] = [
  ["SCENE", "Scenes"],
  ["DECISION_POINT", "Decisions"],
  ["DISCOVERY", "Discoveries"],
  ["MOMENT", "Moments"],
  ["PLOT_THREAD", "Plot threads"],
  ["FACT", "Facts"],
];
