import { describe, expect, it } from "vitest";
import { rowIndexOf, rowsOf } from "../src/chat/rows";
import { message } from "./builders";

const AT = "2026-05-01T00:00:00Z";
const NOW = new Date("2026-06-01T12:00:00");

describe("the rows of a log", () => {
  it("have a date above the first message of each day, with the year where it is another one", () => {
    const rows = rowsOf(
      [
        message({ id: "a", created_at: "2025-12-31T12:00:00" }),
        message({ id: "b", created_at: "2026-05-04T09:00:00" }),
        message({ id: "c", created_at: "2026-05-04T10:00:00" }),
      ],
      NOW,
    );

    expect(rows.map(({ day }) => Boolean(day))).toEqual([true, true, false]);
    expect(rows[0]?.day).toContain("2025");
    expect(rows[1]?.day).not.toContain("2026");
  });

  it("fold messages that another app removed into one", () => {
    const rows = rowsOf(
      [
        message({ id: "a" }),
        message({ id: "b", withdrawn: AT }),
        message({ id: "c", withdrawn: AT }),
        message({ id: "d" }),
      ],
      NOW,
    );

    expect(rows.map(({ id }) => id)).toEqual(["a", "b", "d"]);
    expect(rows[1]?.removed.map(({ id }) => id)).toEqual(["b", "c"]);
    expect(["a", "c", "d", "x"].map((id) => rowIndexOf(rows, id))).toEqual([0, 1, 2, -1]);
  });
});
