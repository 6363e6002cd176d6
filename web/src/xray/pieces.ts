/**
 * The context window of a model, divided into the parts of a prompt.
 *
 * Together they are the whole window, whatever the prompt. Start at `piecesOf`.
 */
import type { XRay } from "../api/types";

/** In the order of the bar. `wrapping` is what messages are wrapped in, and what stands between sections. */
const LABELS = {
  system: "Instructions",
  campaign: "Campaign",
  chapter: "Chapter",
  session: "Session",
  tools: "Tools",
  recall: "Memories",
  summary: "Summary",
  conversation: "Chat",
  wrapping: "Overhead",
  reserve: "Reserved for reply",
  free: "Free",
};

export type PieceName = keyof typeof LABELS;

export interface Piece {
  name: PieceName;
  label: string;
  tokens: number;
  /** Of the window, from 0 to 1. */
  share: number;
}

type Measured = Pick<XRay, "window" | "reserve" | "used" | "parts">;

export function piecesOf({ window, reserve, used, parts }: Measured): Piece[] {
  const taken = new Map(parts.map((part) => [part.name, part.used]));
  const inParts = parts.reduce((sum, part) => sum + part.used, 0);
  // Counted one by one, parts can come to a little more than the whole that they make.
  const whole = Math.max(used, inParts);
  taken.set("wrapping", whole - inParts);
  taken.set("reserve", reserve);
  taken.set("free", Math.max(window - reserve - whole, 0));
  return (Object.keys(LABELS) as PieceName[]).map((name) => {
    const tokens = taken.get(name) ?? 0;
    return { name, label: LABELS[name], tokens, share: tokens / window };
  });
}

export function labelOf(part: string): string {
  return LABELS[part as PieceName] ?? part;
}
