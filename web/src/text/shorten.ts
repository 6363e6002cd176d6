/** A sentence that fits where there is little room: cut between words. */
const MOST = 90;

export function shortened(text: string, most = MOST): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const cut = line.slice(0, most);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), most / 2))}…`;
}
