import { expect, it } from "vitest";
import type { Entity, Graph, Tie } from "../src/api/campaigns";
import { laidOut, MOST_DRAWN } from "../src/campaigns/layout";

function graph(entities: number, ties: [number, number][]): Graph {
  return {
    entities: Array.from({ length: entities }, (_, at) => ({ id: `e${at}`, name: `E${at}` }) as Entity),
    ties: ties.map(([from, to], at) => ({ id: `t${at}`, source_id: `e${from}`, target_id: `e${to}` }) as Tie),
  };
}

it("puts everybody who is tied somewhere, the same each time, and no two upon each other", () => {
  const given = graph(12, [[0, 1], [1, 2], [0, 3], [4, 5]]); // prettier-ignore
  const [once, twice] = [laidOut(given), laidOut(given)];
  const points = [...once.points.values()];
  expect(points.map(({ id }) => id).sort()).toEqual(["e0", "e1", "e2", "e3", "e4", "e5"]);
  expect(points).toEqual([...twice.points.values()]);
  const apart = points.flatMap((a, at) => points.slice(at + 1).map((b) => Math.hypot(a.x - b.x, a.y - b.y)));
  expect(Math.min(...apart)).toBeGreaterThan(40);
});

it("draws those with the most ties, where there are too many", () => {
  const many = MOST_DRAWN + 50;
  const chain = Array.from({ length: many - 1 }, (_, at): [number, number] => [at, at + 1]);
  const drawn = laidOut(graph(many, [...chain, [many - 1, 0], [many - 1, 1]])).points;
  expect(drawn.size).toBe(MOST_DRAWN);
  expect(drawn.has(`e${many - 1}`)).toBe(true);
});
