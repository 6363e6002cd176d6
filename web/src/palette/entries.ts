/** What the command palette leads to, and which of it is meant by a few letters. */
import type { InterfaceIcon } from "../look/interface-icons";

export interface Entry {
  id: string;
  /** Under which heading it stands. */
  group: "Places" | "Actions" | "Conversations" | "People";
  label: string;
  icon: InterfaceIcon | (string & {});
  /** What it is found by, besides its label. */
  also?: string;
  run: () => void;
}

const MOST = 12;

/** The best first; without words, the first of them as they come. */
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

/** Every word must be there: at the beginning of the label it counts most, elsewhere in it less, beside it least. */
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
