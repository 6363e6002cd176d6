import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Live, waitMs } from "../src/api/live";
import type { LiveEvent } from "../src/api/types";

/** A socket whose other end is the test. */
class Wire {
  static all: Wire[] = [];
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: () => void;

  constructor(readonly address: string) {
    Wire.all.push(this);
  }

  says(event: object): void {
    this.onmessage?.({ data: JSON.stringify(event) });
  }

  close(): void {
    this.onclose?.();
  }
}

const heard: LiveEvent[] = [];
let back = 0;
const live = () => new Live({ onEvent: (event) => heard.push(event), onBack: () => (back += 1), onFirst: () => {}, onLost: () => {} }, "ws://here/api/live");

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Wire);
  Wire.all = [];
  heard.length = 0;
  back = 0;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the live socket", () => {
  it("passes on what the page shows, and nothing else", () => {
    live().open();
    Wire.all[0]?.onopen?.();

    Wire.all[0]?.says({ type: "weather.changed", conversation_id: null });
    Wire.all[0]?.says({ type: "error", detail: "This is no request." });
    Wire.all[0]?.says({ type: "conversation.title", conversation_id: "k", title: "Storm" });

    expect(heard).toEqual([{ type: "conversation.title", conversation_id: "k", title: "Storm" }]);
    expect(back).toBe(0);
  });

  it("comes back after it was lost, and says so, because something may have been missed", () => {
    live().open();
    Wire.all[0]?.onopen?.();

    Wire.all[0]?.close();
    expect(Wire.all).toHaveLength(1);
    vi.advanceTimersByTime(500);
    Wire.all[1]?.onopen?.();

    expect(Wire.all).toHaveLength(2);
    expect(back).toBe(1);
  });

  it("tries at once when somebody is here again, but not while it is open or tries already", () => {
    const socket = live();
    socket.open();
    Wire.all[0]?.onopen?.();
    socket.hurry();
    expect(Wire.all).toHaveLength(1);

    Wire.all[0]?.close();
    socket.hurry();
    socket.hurry();
    Wire.all[1]?.onopen?.();
    vi.advanceTimersByTime(120_000);

    expect(Wire.all).toHaveLength(2);
    expect(back).toBe(1);
  });

  it("stays closed when it was closed on purpose", () => {
    const socket = live();
    socket.open();

    socket.close();
    socket.hurry();
    vi.advanceTimersByTime(120_000);

    expect(Wire.all).toHaveLength(1);
  });

  it("waits longer after each failure, up to half a minute, and never for nothing", () => {
    const longest = [0, 1, 2, 3, 10, 1000].map((failures) => waitMs(failures, 1));

    expect(longest).toEqual([500, 1_000, 2_000, 4_000, 30_000, 30_000]);
    expect(waitMs(3, 0)).toBe(2_000);
  });
});
