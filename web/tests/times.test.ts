import { describe, expect, it } from "vitest";
import { counted, noun } from "../src/text/numbers";
import { dayName, duration, nearTime, shortTime, timeAgo } from "../src/text/times";

const NOW = new Date("2026-03-04T12:00:00");

describe("plurals", () => {
  it("agree with their number", () => {
    expect([counted(0, "chat"), counted(1, "chat"), counted(2, "chat")]).toEqual(["0 chats", "1 chat", "2 chats"]);
    expect(counted(1, "memory", "memories")).toBe("1 memory");
    expect(counted(3, "memory", "memories")).toBe("3 memories");
    expect(noun(1, "entry", "entries")).toBe("entry");
  });
});

describe("dates", () => {
  it("have a year only where it is not this one", () => {
    expect(dayName("2026-03-01T10:00:00", NOW)).not.toContain("2026");
    expect(dayName("2024-03-01T10:00:00", NOW)).toContain("2024");
    expect(shortTime("2026-02-01T10:00:00", NOW)).not.toContain("2026");
    expect(shortTime("2024-02-01T10:00:00", NOW)).toContain("2024");
  });

  it("are near or short", () => {
    expect(nearTime("2026-03-04T01:39:00", NOW)).toMatch(/^today, 1:39/);
    expect(nearTime("2026-03-03T23:39:00", NOW)).toMatch(/^yesterday, 11:39/);
    expect(nearTime("2026-03-05T00:10:00", NOW)).toMatch(/^tomorrow, 12:10/);
    expect(nearTime("2026-02-01T10:00:00", NOW)).toMatch(/^Feb 1, 10:00/);
    expect(nearTime("2024-02-01T10:00:00", NOW)).toBe("Feb 1, 2024");
  });
});

describe("durations", () => {
  it("are told in the largest unit that fits", () => {
    expect(timeAgo("2026-03-04T11:59:50", NOW)).toBe("just now");
    expect(timeAgo("2026-03-04T11:00:00", NOW)).toBe("1 hour ago");
    expect(timeAgo("2026-03-03T11:00:00", NOW)).toBe("yesterday");
    expect(timeAgo("2024-09-16T12:00:00", NOW)).toBe("last year");
    expect(timeAgo("2026-03-18T12:00:00", NOW)).toBe("in 2 weeks");
    expect([duration(1), duration(90), duration(3 * 86400)]).toEqual(["1 second", "2 minutes", "3 days"]);
  });
});
