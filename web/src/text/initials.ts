/** A face for those without a picture: initials, and a colour that stays the same wherever they appear. */

export function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/[\s_-]+/u)
    .filter(Boolean);
  const first = words.length > 1 ? [words[0], words.at(-1)] : words;
  return first.map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("") || "?";
}

export function hueOf(id: string): number {
  let hash = 0;
  for (const sign of id) hash = (hash * 31 + (sign.codePointAt(0) ?? 0)) >>> 0;
  // Neighbouring ids must not look alike, so the circle is walked in steps of the golden angle.
  return Math.round((hash * 137.508) % 360);
}
