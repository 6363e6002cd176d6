import { describe, expect, it } from "vitest";
import { laidOut, type Link, MOST_DRAWN, nextTowards, tangles } from "../src/ties/layout";

const ids = (count: number) => Array.from({ length: count }, (_, at) => `e${at}`);
const tied = (...pairs: [number, number][]): Link[] =>
  pairs.map(([from, to]) => ({ source_id: `e${from}`, target_id: `e${to}` }));

it("puts everybody who is tied somewhere, the same each time, and no two upon each other", async () => {
  const given = [ids(12), tied([0, 1], [1, 2], [0, 3], [4, 5])] as const;
  const [once, twice] = await Promise.all([laidOut(...given), laidOut(...given)]);
  const points = [...once!.points.values()];
  expect(points.map(({ id }) => id).sort()).toEqual(["e0", "e1", "e2", "e3", "e4", "e5"]);
  expect(points).toEqual([...twice!.points.values()]);
  const apart = points.flatMap((a, at) => points.slice(at + 1).map((b) => Math.hypot(a.x - b.x, a.y - b.y)));
  expect(Math.min(...apart)).toBeGreaterThan(40);
});

it("draws those with the most ties, where there are too many, and nothing when others are to be drawn", async () => {
  const many = MOST_DRAWN + 50;
  const chain = ids(many - 1).map((_, at): [number, number] => [at, at + 1]);
  const given = [ids(many), tied(...chain, [many - 1, 0], [many - 1, 1])] as const;
  const drawn = (await laidOut(...given))!.points;
  expect(drawn.size).toBe(MOST_DRAWN);
  expect(drawn.has(`e${many - 1}`)).toBe(true);
  expect(await laidOut(...given, AbortSignal.abort())).toBeUndefined();
});

it("goes to whoever stands next in the direction of an arrow key", () => {
  const points = [
    { id: "here", x: 0, y: 0 },
    { id: "right", x: 100, y: 10 },
    { id: "far right", x: 150, y: 0 },
    { id: "below", x: 20, y: 80 },
    { id: "left", x: -60, y: -60 },
  ];
  const to = (key: string) => nextTowards(points, points[0]!, key)?.id;
  expect([to("ArrowRight"), to("ArrowDown"), to("ArrowLeft"), to("ArrowUp")]).toEqual(["right", "below", "left", "left"]);
  expect(to("Enter")).toBeUndefined();
  expect(nextTowards(points, points[4]!, "ArrowLeft")).toBeUndefined();
});

describe("a small drawing", () => {
  const links = [
    { source_id: "orsolya", target_id: "tamsel" },
    { source_id: "wilmot", target_id: "marigold" },
  ];

  it("has no lines that cross where that can be avoided", async () => {
    const layout = await laidOut(["orsolya", "tamsel", "wilmot", "marigold"], links);

    expect(tangles(layout!.points, links)).toBe(0);
  });

  it("is higher than wide on a phone", async () => {
    const ids = Array.from({ length: 8 }, (_, at) => `p${at}`);
    const ring = ids.map((id, at) => ({ source_id: id, target_id: ids[(at + 1) % ids.length]! }));
    const upright = await laidOut(ids, ring, undefined, true);
    const wide = await laidOut(ids, ring);

    expect(upright!.box[3]).toBeGreaterThan(upright!.box[2]);
    expect(upright!.box[2]).toBeLessThan(wide!.box[2]);
  });
});
