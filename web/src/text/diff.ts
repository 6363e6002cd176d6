/** How one text became another: the words that stayed, went and came, in the order in which one reads them. */
export interface Piece {
  kind: "same" | "gone" | "new";
  text: string;
}

/** Longer texts are shown as a whole, old and new: nobody reads a thousand small changes. */
const MOST_WORDS = 600;

export function difference(before: string, after: string): Piece[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (old.length > MOST_WORDS || now.length > MOST_WORDS) {
    return joined([
      { kind: "gone", text: before },
      { kind: "new", text: after },
    ]);
  }
  const common = commonLengths(old, now);
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      pieces.push({ kind: "same", text: old[i++]! });
      j++;
    } else if (j >= now.length || (i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      pieces.push({ kind: "gone", text: old[i++]! });
    } else pieces.push({ kind: "new", text: now[j++]! });
  }
  return joined(pieces);
}

/** Words with the space behind them, so that they can be put together again. */
function wordsOf(text: string): string[] {
  return text.match(/\S+\s*|\s+/gu) ?? [];
}

/** `table[i][j]`: how many words the rest of the one from i and of the other from j have in common, in order. */
function commonLengths(old: string[], now: string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      table[i]![j] = old[i] === now[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    }
  }
  return table;
}

function joined(pieces: Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else if (piece.text) all.push({ ...piece });
  }
  return all;
}
