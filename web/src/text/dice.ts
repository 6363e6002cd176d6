/** Dice in a chat: `/roll 2d6+3` becomes the line that everybody reads. */

const MOST_DICE = 100;
const MOST_SIDES = 1_000;
const ROLL = /^\/r(?:oll)?\s+(\d*)d(\d+)\s*([+-]\s*\d{1,4})?\s*$/i;

/** What to say instead of a command to roll; null if the text is none, or asks for dice that do not exist. */
export function rolled(text: string, roll: (sides: number) => number = random): string | null {
  const [, many, sides, plus] = ROLL.exec(text.trim()) ?? [];
  const [count, faces, bonus] = [Number(many || 1), Number(sides), Number((plus ?? "").replace(/\s/g, ""))];
  if (!(count >= 1 && count <= MOST_DICE && faces >= 2 && faces <= MOST_SIDES)) return null;
  const found = Array.from({ length: count }, () => roll(faces));
  const total = found.reduce((sum, each) => sum + each, bonus);
  const sign = bonus < 0 ? "-" : "+";
  const dice = `${count}d${faces}${bonus ? ` ${sign} ${Math.abs(bonus)}` : ""}`;
  const each = count > 1 || bonus ? ` (${found.join(", ")}${bonus ? ` ${sign} ${Math.abs(bonus)}` : ""})` : "";
  return `*rolls ${dice}: **${total}**${each}*`;
}

function random(sides: number): number {
  // Each side as likely as the others: numbers above the last whole round are drawn again.
  const end = 2 ** 32 - (2 ** 32 % sides);
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn < end ? (drawn % sides) + 1 : random(sides);
}
