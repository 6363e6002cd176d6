/** Lorebook entries as the form edits them. */
import type { LorebookEntry } from "../api/lorebooks";
import { counted } from "../text/numbers";

export const LOGIC: [logic: LorebookEntry["logic"], label: string][] = [
  ["any", "At least one of them"],
  ["all", "All of them"],
  ["not_any", "None of them"],
  ["not_all", "Not all of them"],
];

export const POSITIONS: [position: LorebookEntry["position"], label: string][] = [
  ["before_char", "Before the character description"],
  ["after_char", "After the character description"],
  ["at_depth", "Among the messages"],
];

export function newEntry(): LorebookEntry {
  return {
    uid: "",
    name: "",
    content: "",
    keys: [],
    secondary_keys: [],
    logic: "any",
    enabled: true,
    constant: false,
    position: "before_char",
    depth: 4,
    order: 100,
    probability: 100,
    scan_depth: null,
    case_sensitive: null,
    whole_words: null,
    exclude_recursion: false,
    prevent_recursion: false,
    hidden: false,
  };
}

/**
 * Splits keys at commas, but not inside a regular expression such as `/a{1,2}/i`, as SillyTavern does.
 */
export function keysIn(text: string): string[] {
  const keys = text.match(/\s*\/(?:\\.|[^/\\])+\/[a-z]*\s*(?=,|$)|[^,]+/g) ?? [];
  return [...new Set(keys.map((key) => key.trim()).filter(Boolean))];
}

/** What to call an entry in a list. */
export function entryTitle({ name, keys }: Pick<LorebookEntry, "name" | "keys">): string {
  return name.trim() || keys.join(", ") || "New entry";
}

/** One line that says when an entry is used. */
export function whenUsed({ enabled, constant, keys, secondary_keys, probability, hidden }: LorebookEntry): string {
  const said = keys.length ? `Keys: ${keys.join(", ")}` : "No keys, never used";
  const parts = [
    enabled ? "" : "Off",
    constant ? "Always included" : said,
    !constant && secondary_keys.length ? counted(secondary_keys.length, "secondary key") : "",
    probability < 100 ? `${probability}% chance` : "",
    hidden ? "Hidden from players" : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

/** What is wrong with an entry; empty if it can be saved. */
export function problemOf({ content, keys, constant }: LorebookEntry): string {
  if (!content.trim()) return "Add text to this entry.";
  return constant || keys.length ? "" : "Add a key, or choose “Always include”.";
}
