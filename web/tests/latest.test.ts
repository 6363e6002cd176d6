import { describe, expect, it } from "vitest";
import { Problem } from "../src/api/problem";
import { Latest } from "../src/state/latest.svelte";

/** An answer that comes when the test says so. */
function later(): { promise: Promise<string>; resolve: (answer: string) => void } {
  let resolve = (_answer: string) => {};
  const promise = new Promise<string>((settle) => (resolve = settle));
  return { promise, resolve };
}

describe("the answer to the newest question", () => {
  it("is not overwritten by an older one that comes late", async () => {
    const latest = new Latest<string>();
    const { promise: slow, resolve } = later();

    const first = latest.ask(() => slow);
    await latest.ask(async () => "new");
    resolve("old");
    await first;

    expect([latest.answer, latest.waiting, latest.failure]).toEqual(["new", false, null]);
  });

  it("is missing, with the reason, where the server refused", async () => {
    const latest = new Latest<string>();
    await latest.ask(async () => "before");

    await latest.ask(() => Promise.reject(new Problem(409, "Somebody was faster.")));

    expect([latest.answer, latest.failure?.message]).toEqual([null, "Somebody was faster."]);
  });

  it("is not wanted any more once it is forgotten", async () => {
    const latest = new Latest<string>();
    const { promise, resolve } = later();

    const asked = latest.ask(() => promise);
    latest.forget();
    resolve("too late");
    await asked;

    expect([latest.answer, latest.waiting]).toEqual([null, false]);
  });

  it("lets bugs through", async () => {
    const latest = new Latest<string>();

    await expect(latest.ask(() => Promise.reject(new TypeError("a bug")))).rejects.toThrow("a bug");
  });
});
