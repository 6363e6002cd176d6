/**
 * The geometry of the relationship graph: curved lines, and labels that neither overlap nor cover a dot. Pure functions.
 *
 * Start at `edgesOf` and `placeLabels`.
 */
import type { Point } from "./layout";

export interface Line {
  id: string;
  source_id: string;
  target_id: string;
}

/** A quadratic curve from one dot to another. */
export interface Edge {
  id: string;
  from: Spot;
  control: Spot;
  to: Spot;
}

export interface Spot {
  x: number;
  y: number;
}

/** Left, top, right and bottom. */
export type Box = [number, number, number, number];

export interface Label {
  id: string;
  text: string;
  /** The center of the text. */
  x: number;
  y: number;
  box: Box;
}

export const DOT = 9;
export const NAME_PX = 12;
export const WORDS_PX = 10;
/** The distance between the curves of two lines with the same ends. */
const BEND = 44;
/** The space between a dot and the end of a line. */
const ROOM = 12;
const LONGEST = 20;
/** Wide letters in the fonts of the page. */
const EM = 0.58;
const PADDING = 3;
const NAME_GAP = 15;
const WORD_PLACES = [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73];

export const shortName = (name: string): string => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

/** Lines with the same ends are curved apart; a single one is straight. */
export function edgesOf(lines: readonly Line[], points: ReadonlyMap<string, Point>): Edge[] {
  const pairs = new Map<string, Line[]>();
  for (const line of lines) {
    const key = [line.source_id, line.target_id].toSorted().join(" ");
    pairs.set(key, [...(pairs.get(key) ?? []), line]);
  }
  return [...pairs.values()].flatMap((same) =>
    same.flatMap((line, at) => {
      const [from, to] = [points.get(line.source_id), points.get(line.target_id)];
      if (!from || !to) return [];
      const bend = (at - (same.length - 1) / 2) * BEND;
      // Two lines in opposite directions must not curve onto each other.
      return [curve(line.id, from, to, line.source_id < line.target_id ? bend : -bend)];
    }),
  );
}

function curve(id: string, from: Spot, to: Spot, bend: number): Edge {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const long = Math.hypot(x, y) || 1;
  // The control point lies twice as far out as the middle of the curve.
  const control = { x: (from.x + to.x) / 2 - (2 * bend * y) / long, y: (from.y + to.y) / 2 + (2 * bend * x) / long };
  return { id, from: towards(from, control), control, to: towards(to, control) };
}

function towards(from: Spot, to: Spot): Spot {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const long = Math.hypot(x, y) || 1;
  return { x: from.x + (ROOM * x) / long, y: from.y + (ROOM * y) / long };
}

export const pathOf = ({ from, control, to }: Edge): string =>
  `M${from.x} ${from.y}Q${control.x} ${control.y} ${to.x} ${to.y}`;

/** The point of a curve at `t`, from 0 to 1. */
export function pointAt({ from, control, to }: Edge, t: number): Spot {
  const mix = (a: number, b: number, c: number) => (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t ** 2 * c;
  return { x: mix(from.x, control.x, to.x), y: mix(from.y, control.y, to.y) };
}

export function boxOf(text: string, { x, y }: Spot, size: number): Box {
  const [wide, tall] = [(text.length * size * EM) / 2 + PADDING, size / 2 + PADDING];
  return [x - wide, y - tall, x + wide, y + tall];
}

export const overlaps = (one: Box, other: Box): boolean =>
  one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];

/**
 * Names first, each where it covers no dot and no other label; then the words of the lines, along their curve. A label
 * without a free place is left out: it is shown when someone points at it, and it is in the list. Lines without words are
 * given too, because names keep away from them.
 */
export function placeLabels(
  names: readonly { id: string; name: string }[],
  points: ReadonlyMap<string, Point>,
  words: readonly { edge: Edge; text: string }[],
): { names: Label[]; words: Label[] } {
  const taken: Box[] = [...points.values()].map(({ x, y }) => [x - DOT, y - DOT, x + DOT, y + DOT]);
  const edges = words.map(({ edge }) => edge);
  const place = (id: string, text: string, size: number, spots: Spot[], cost: (box: Box) => number): Label[] => {
    const free = spots.map((spot) => ({ spot, box: boxOf(text, spot, size) })).filter(({ box }) => !taken.some((each) => overlaps(each, box)));
    const [best] = free.toSorted((a, b) => cost(a.box) - cost(b.box));
    if (!best) return [];
    taken.push(best.box);
    return [{ id, text, ...best.spot, box: best.box }];
  };
  const placedNames = names.flatMap(({ id, name }) => {
    const point = points.get(id);
    const text = shortName(name);
    return point ? place(id, text, NAME_PX, around(point, text), (box) => crossings(box, edges)) : [];
  });
  const placedWords = words.flatMap(({ edge, text }) => {
    if (!text) return [];
    const spots = WORD_PLACES.map((t) => pointAt(edge, t));
    const others = edges.filter((each) => each !== edge);
    return place(edge.id, shortName(text), WORDS_PX, spots, (box) => crossings(box, others));
  });
  return { names: placedNames, words: placedWords };
}

/** Below, above, right and left of a dot. */
function around({ x, y }: Spot, text: string): Spot[] {
  const aside = DOT + PADDING + (text.length * NAME_PX * EM) / 2 + PADDING;
  const [below, above] = [y + DOT + NAME_GAP - 2, y - DOT - NAME_GAP + 2];
  return [{ x, y: below }, { x, y: above }, { x: x + aside, y }, { x: x - aside, y }];
}

/** Left, top, width and height of a drawing with all of its labels. */
export function viewOf([left, top, width, height]: Box, labels: readonly Label[]): Box {
  const boxes = labels.map(({ box }) => box);
  const edge = (at: 0 | 1 | 2 | 3) => boxes.map((box) => box[at]);
  const [x, y] = [Math.min(left, ...edge(0)), Math.min(top, ...edge(1))];
  return [x, y, Math.max(left + width, ...edge(2)) - x, Math.max(top + height, ...edge(3)) - y];
}

const SAMPLES = 24;

/** How many lines run through a box. */
function crossings(box: Box, edges: readonly Edge[]): number {
  return edges.filter((edge) => {
    for (let at = 0; at <= SAMPLES; at += 1) {
      const { x, y } = pointAt(edge, at / SAMPLES);
      if (x > box[0] && x < box[2] && y > box[1] && y < box[3]) return true;
    }
    return false;
  }).length;
}
