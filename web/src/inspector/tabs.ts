/** The tabs of the inspector, in their order. A new one is a line here, and a branch in `Inspector.svelte`. */
import type { Tab } from "../state/inspector.svelte";

export const TABS: [name: Tab, label: string][] = [
  ["reply", "Sources"],
  ["knows", "Memories"],
  ["prompt", "Prompt"],
];
