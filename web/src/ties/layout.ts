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

/** Small drawings are tried several times, from other starting points, and the one with the fewest crossings is taken. */
const SMALL = 40;
const TRIES = 8;
/** How far apart groups and dots start. The golden angle spreads dots evenly. */
const GROUP_ROOM = 200;
const START_ROOM = 30;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** A line this near to a dot seems to end there. */
const TOO_NEAR = 22;

/**
 * Of these those who are tied to somebody. The same ties are always drawn the same way. Worked out a little at a time;
 * nothing where that was given up meanwhile. `isUpright`: higher than wide, for a phone.
 */
export async function laidOut(
  ids: readonly string[],
  ties: readonly Link[],
  givenUp?: AbortSignal,
  isUpright = false,
): Promise<Layout | undefined> {
  const tied = new Map<string, number>();
  for (const id of ties.flatMap(({ source_id, target_id }) => [source_id, target_id]))
    tied.set(id, (tied.get(id) ?? 0) + 1);
  const shown = ids
    .filter((id) => tied.has(id))
    .toSorted((a, b) => (tied.get(b) ?? 0) - (tied.get(a) ?? 0))
    .slice(0, MOST_DRAWN);
  const drawn = new Set(shown);
  const links = ties.filter(({ source_id, target_id }) => drawn.has(source_id) && drawn.has(target_id));
  const isSmall = shown.length <= SMALL && links.length <= SMALL;
  let best: { points: Map<string, Point>; cost: number } | undefined;
  for (let attempt = 0; attempt < (isSmall ? TRIES : 1) && best?.cost !== 0; attempt += 1) {
    const start = startingPoints(shown, links, attempt, isUpright);
    const points = await simulated(start, links, givenUp, isUpright);
    if (!points) return undefined;
    const cost = isSmall ? tangles(points, links) : 0;
    if (!best || cost < best.cost) best = { points, cost };
  }
  const points = best?.points ?? new Map<string, Point>();
  return { points, box: boxOf([...points.values()]) };
}

/** Those who are tied to each other start near each other, and apart from the others. */
function startingPoints(ids: readonly string[], links: readonly Link[], turn: number, isUpright: boolean): Point[] {
  const groups = new Map(ids.map((id, at) => [id, at]));
  for (const { source_id, target_id } of links) {
    const [one, other] = [groups.get(source_id)!, groups.get(target_id)!];
    for (const [id, group] of groups) if (group === other) groups.set(id, one);
  }
  const order = [...new Set(groups.values())];
  return ids.map((id, at) => {
    const aside = order.indexOf(groups.get(id)!) * GROUP_ROOM;
    const [spread, angle] = [START_ROOM * Math.sqrt(at + 0.5), at * GOLDEN_ANGLE + turn];
    const [across, along] = [spread * Math.cos(angle), spread * Math.sin(angle)];
    return isUpright ? { id, x: across, y: along + aside } : { id, x: along + aside, y: across };
  });
}

async function simulated(
  start: readonly Point[],
  links: readonly Link[],
  givenUp: AbortSignal | undefined,
  isUpright: boolean,
): Promise<Map<string, Point> | undefined> {
  const points = new Map(start.map((point) => [point.id, point]));
  const simulation = forceSimulation([...points.values()])
    .force(
      "ties",
      forceLink<Point, { source: string; target: string }>(
        links.map(({ source_id, target_id }) => ({ source: source_id, target: target_id })),
      )
        .id(({ id }) => id)
        .distance(150),
    )
    .force("apart", forceManyBody().strength(-240))
    .force("room", forceCollide(46))
    .force("x", forceX(0).strength(isUpright ? 0.2 : 0.05))
    .force("y", forceY(0).strength(isUpright ? 0.04 : 0.08))
    .stop();
  let since = performance.now();
  for (let step = 0; step < STEPS; step += 1) {
    simulation.tick();
    if (performance.now() - since < AT_A_TIME_MS) continue;
    await pause();
    if (givenUp?.aborted) return undefined;
    since = performance.now();
  }
  return points;
}

/** How many pairs of lines cross, and how many dots lie on a line that is not theirs. */
export function tangles(points: ReadonlyMap<string, Point>, links: readonly Link[]): number {
  const lines = links.flatMap(({ source_id, target_id }) => {
    const [from, to] = [points.get(source_id), points.get(target_id)];
    return from && to && from !== to ? [{ from, to }] : [];
  });
  const crossed = lines.flatMap((one, at) => lines.slice(at + 1).filter((other) => cross(one, other))).length;
  const hidden = lines.flatMap(({ from, to }) =>
    [...points.values()].filter((dot) => dot !== from && dot !== to && distance(dot, from, to) < TOO_NEAR),
  ).length;
  return crossed + hidden;
}

interface Segment {
  from: Point;
  to: Point;
}

/** Which side of a line a point is on. */
const side = ({ from, to }: Segment, { x, y }: Point) => (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);

const cross = (one: Segment, other: Segment): boolean =>
  side(one, other.from) * side(one, other.to) < 0 && side(other, one.from) * side(other, one.to) < 0;

/** From a point to the nearest point between two others. */
function distance({ x, y }: Point, from: Point, to: Point): number {
  const [wide, high] = [to.x - from.x, to.y - from.y];
  const along = ((x - from.x) * wide + (y - from.y) * high) / (wide ** 2 + high ** 2 || 1);
  const t = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x - from.x - t * wide, y - from.y - t * high);
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
