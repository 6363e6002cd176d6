import { expect, test } from "vitest";
import { boxOf, edgesOf, overlaps, placeLabels, pointAt, shortName, viewOf } from "../src/ties/drawing";
import { laidOut, type Point } from "../src/ties/layout";
import { legendOf } from "../src/ties/looks";

const points = (...given: [string, number, number][]) => new Map<string, Point>(given.map(([id, x, y]) => [id, { id, x, y }]));
const line = (id: string, source_id: string, target_id: string) => ({ id, source_id, target_id });

test("lines with the same ends are curved apart, in whichever direction they go", () => {
  const two = points(["a", 0, 0], ["b", 200, 0]);
  const [there, back, third] = edgesOf([line("1", "a", "b"), line("2", "b", "a"), line("3", "a", "b")], two);
  const middles = [there, back, third].map((edge) => Math.round(pointAt(edge!, 0.5).y));
  expect(new Set(middles).size).toBe(3);
  expect(Math.min(...middles.map((y, at) => Math.abs(y - middles[(at + 1) % 3]!)))).toBeGreaterThan(25);
});

test("a single line is straight", () => {
  const [edge] = edgesOf([line("1", "a", "b")], points(["a", 0, 0], ["b", 200, 100]));
  expect(pointAt(edge!, 0.5)).toEqual({ x: 100, y: 50 });
});

test("no label overlaps another label or a dot", async () => {
  const ids = Array.from({ length: 14 }, (_, at) => `e${at}`);
  const lines = ids.flatMap((id, at) => [line(`a${at}`, id, ids[(at + 1) % 14]!), line(`b${at}`, id, ids[(at + 5) % 14]!)]);
  const layout = (await laidOut(ids, lines))!.points;
  const edges = edgesOf(lines, layout);
  const words = edges.map((edge) => ({ edge, text: "is afraid of" }));
  const placed = placeLabels(ids.map((id) => ({ id, name: `Somebody ${id}` })), layout, words);
  const boxes = [...placed.names, ...placed.words].map(({ box }) => box);
  for (const [at, box] of boxes.entries()) {
    expect(boxes.slice(at + 1).some((other) => overlaps(box, other))).toBe(false);
    for (const { x, y } of layout.values()) expect(overlaps(box, [x - 9, y - 9, x + 9, y + 9])).toBe(false);
  }
  expect(placed.names.length).toBe(14);
});

test("a name moves away from the lines where there is room", () => {
  const two = points(["a", 0, 0], ["b", 0, 200]);
  const [edge] = edgesOf([line("1", "a", "b")], two);
  const { names } = placeLabels([{ id: "a", name: "Ada" }], two, [{ edge: edge!, text: "knows" }]);
  expect(names[0]!.y).toBeLessThan(0);
});

test("a label without a free place is left out", () => {
  const crowded = points(...Array.from({ length: 40 }, (_, at): [string, number, number] => [`p${at}`, (at % 8) * 12, Math.floor(at / 8) * 12]));
  expect(placeLabels([{ id: "p18", name: "In the middle" }], crowded, []).names).toEqual([]);
});

test("the view is large enough for every label", () => {
  const one = points(["a", 0, 0]);
  const { names } = placeLabels([{ id: "a", name: "A rather long name" }], one, []);
  const [left, top, width, height] = viewOf([-5, -5, 10, 10], names);
  const [x, y, right, bottom] = names[0]!.box;
  expect([left <= x, top <= y, left + width >= right, top + height >= bottom]).toEqual([true, true, true, true]);
});

test("long names are cut, and boxes grow with the text", () => {
  expect(shortName("A name that is far too long")).toHaveLength(20);
  const wide = (text: string) => boxOf(text, { x: 0, y: 0 }, 12)[2];
  expect(wide("Ada Lovelace")).toBeGreaterThan(wide("Ada"));
});

test("the legend names what is drawn and nothing else", () => {
  const nodes = [{ look: "location" as const, hidden: true }, { look: "person" as const }];
  expect(legendOf(nodes, [{ directed: true }])).toEqual({ dots: ["person", "location"], lines: ["tie"], hasHidden: true });
  expect(legendOf([{ look: "person" as const }], [{ directed: false }]).hasHidden).toBe(false);
});
