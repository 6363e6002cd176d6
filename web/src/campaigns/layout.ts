/** Where each entity stands in a drawing of their ties: pushed apart, and drawn together where they are tied. */
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
import type { Graph } from "../api/campaigns";

export interface Point {
  id: string;
  x: number;
  y: number;
}

export interface Drawing {
  points: Map<string, Point>;
  /** Left, top, width and height of all of it. */
  box: [number, number, number, number];
}

/** More than these are not drawn: those with the fewest ties are left to the list. */
export const MOST_DRAWN = 300;
const STEPS = 200;
const MARGIN = 60;

/** Those who are tied to somebody. The same graph is always drawn the same way. */
export function laidOut({ entities, ties }: Graph): Drawing {
  const tied = new Map<string, number>();
  for (const id of ties.flatMap(({ source_id, target_id }) => [source_id, target_id]))
    tied.set(id, (tied.get(id) ?? 0) + 1);
  const shown = entities
    .filter(({ id }) => tied.has(id))
    .toSorted((a, b) => (tied.get(b.id) ?? 0) - (tied.get(a.id) ?? 0))
    .slice(0, MOST_DRAWN);
  const points = new Map(shown.map(({ id }) => [id, { id, x: NaN, y: NaN }]));
  const links = ties
    .filter(({ source_id, target_id }) => points.has(source_id) && points.has(target_id))
    .map(({ source_id, target_id }) => ({ source: source_id, target: target_id }));
  forceSimulation([...points.values()])
    .force(
      "ties",
      forceLink<Point, { source: string; target: string }>(links)
        .id(({ id }) => id)
        .distance(110),
    )
    .force("apart", forceManyBody().strength(-240))
    .force("room", forceCollide(46))
    .force("x", forceX(0).strength(0.05))
    .force("y", forceY(0).strength(0.08))
    .stop()
    .tick(STEPS);
  return { points, box: boxOf([...points.values()]) };
}

function boxOf(points: Point[]): Drawing["box"] {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top] = [Math.min(0, ...xs) - MARGIN, Math.min(0, ...ys) - MARGIN];
  return [left, top, Math.max(0, ...xs) + MARGIN - left, Math.max(0, ...ys) + MARGIN - top];
}
