import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Notices } from "../src/state/notices.svelte";
import { Toasts } from "../src/state/toasts.svelte";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const texts = (toasts: Toasts) => toasts.list.map(({ text }) => text);

test("an error leaves after a while, but not while somebody reads it", () => {
  const toasts = new Toasts();
  toasts.error("It failed.");
  toasts.held = true;
  vi.advanceTimersByTime(60_000);
  expect(texts(toasts)).toEqual(["It failed."]);
  toasts.held = false;
  vi.advanceTimersByTime(2_000);
  expect(texts(toasts)).toEqual([]);
});

test("errors go with their page; what can be undone stays", () => {
  const toasts = new Toasts();
  toasts.error("It failed.");
  toasts.undoable("Forgotten", () => {});
  toasts.leavePage();
  expect(texts(toasts)).toEqual(["Forgotten"]);
});

test("of new memories, the newest two are shown, and none twice", () => {
  const toasts = new Toasts();
  for (const text of ["You live in Porto", "You keep bees", "You keep bees", "You play the oboe"]) toasts.learnt(text, {});
  expect(texts(toasts)).toEqual(["You keep bees", "You play the oboe"]);
});

test("a closed notice stays closed until its cause ends", () => {
  const kept = new Map<string, string>();
  const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) };
  const notices = new Notices(storage as unknown as Storage);
  notices.close("trouble:a");
  notices.close("voice");
  expect(new Notices(storage as unknown as Storage).isOpen("trouble:a")).toBe(false);
  notices.renew("trouble:", ["trouble:a"]);
  expect(notices.isOpen("trouble:a")).toBe(false);
  notices.renew("trouble:", []);
  expect([notices.isOpen("trouble:a"), notices.isOpen("voice")]).toEqual([true, false]);
});
