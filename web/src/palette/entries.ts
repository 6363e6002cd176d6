/** Entries of the command palette, and how they are matched and ranked. */
import type { InterfaceIcon } from "../look/interface-icons";

export interface Entry {
  id: string;
  group: "Pages" | "Actions" | "Chats" | "People" | "Memories" | "Messages";
  label: string;
  icon: InterfaceIcon | (string & {});
  /** Synonyms that also match. */
  also?: string;
  run: () => unknown;
}

const MOST = 12;

/** Best match first; without words, the first entries. */
export function found(entries: Entry[], words: string): Entry[] {
  const wanted = plain(words).split(" ").filter(Boolean);
  if (!wanted.length) return entries.slice(0, MOST);
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ entry }) => entry);
}

/** Every word must match: at the start of the label it counts most, elsewhere in it less, in synonyms least. */
function scoreOf({ label, also = "" }: Entry, wanted: string[]): number {
  const [text, beside] = [plain(label), plain(also)];
  let score = 0;
  for (const word of wanted) {
    const each = text.startsWith(word) ? 4 : text.includes(` ${word}`) ? 3 : text.includes(word) ? 2 : +beside.includes(word);
    if (!each) return 0;
    score += each;
  }
  return score;
}

/** Without case and accents. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
}
