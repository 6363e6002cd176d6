/** Where each stands in a drawing of ties: pushed apart, and drawn together where they are tied; and who stands next. */
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";

export interface Point {
  id: string;
  x: number;
  y: number;
}

export interface Link {
  source_id: string;
  target_id: string;
}

export interface Layout {
  points: Map<string, Point>;
  /** Left, top, width and height of all of it. */
  box: [number, number, number, number];
}

/** More than these are not drawn: those with the fewest ties are left to the list. */
export const MOST_DRAWN = 300;
const STEPS = 200;
// Whoever scrolls or types meanwhile notices nothing.
const AT_A_TIME_MS = 10;
const MARGIN = 60;
// Beside whoever stands outermost there is room for their name.
const BESIDE = 75;

/**
 * Of these those who are tied to somebody. The same ties are always drawn the same way. Worked out a little at a time;
 * nothing where that was given up meanwhile.
 */
export async function laidOut(
  ids: readonly string[],
  ties: readonly Link[],
  givenUp?: AbortSignal,
): Promise<Layout | undefined> {
  const tied = new Map<string, number>();
  for (const id of ties.flatMap(({ source_id, target_id }) => [source_id, target_id]))
    tied.set(id, (tied.get(id) ?? 0) + 1);
  const shown = ids
    .filter((id) => tied.has(id))
    .toSorted((a, b) => (tied.get(b) ?? 0) - (tied.get(a) ?? 0))
    .slice(0, MOST_DRAWN);
  const points = new Map(shown.map((id) => [id, { id, x: NaN, y: NaN }]));
  const links = ties
    .filter(({ source_id, target_id }) => points.has(source_id) && points.has(target_id))
    .map(({ source_id, target_id }) => ({ source: source_id, target: target_id }));
  const simulation = forceSimulation([...points.values()])
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
    .stop();
  let since = performance.now();
  for (let step = 0; step < STEPS; step += 1) {
    simulation.tick();
    if (performance.now() - since < AT_A_TIME_MS) continue;
    await pause();
    if (givenUp?.aborted) return undefined;
    since = performance.now();
  }
  return { points, box: boxOf([...points.values()]) };
}

const TOWARDS: Record<string, [x: number, y: number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};
// How much further it counts to stand aside than to stand ahead.
const ASIDE = 2;

/** Whom an arrow key leads to: the nearest of those who stand rather in that direction than beside it. */
export function nextTowards(points: Iterable<Point>, from: Point, key: string): Point | undefined {
  const [right, down] = TOWARDS[key] ?? [0, 0];
  let [best, nearest]: [Point | undefined, number] = [undefined, Infinity];
  for (const point of points) {
    const [x, y] = [point.x - from.x, point.y - from.y];
    const [ahead, aside] = [x * right + y * down, Math.abs(x * down) + Math.abs(y * right)];
    const far = Math.hypot(ahead, aside * ASIDE);
    if (ahead > 0 && aside <= ahead * ASIDE && far < nearest) [best, nearest] = [point, far];
  }
  return best;
}

const pause = () => new Promise((resume) => setTimeout(resume));

function boxOf(points: Point[]): Layout["box"] {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top] = [Math.min(0, ...xs) - BESIDE, Math.min(0, ...ys) - MARGIN];
  return [left, top, Math.max(0, ...xs) + BESIDE - left, Math.max(0, ...ys) + MARGIN - top];
}
