import { describe, expect, it } from "vitest";
import { composed, idIn, tokenOf } from "../src/chat/gossip/tokens";

describe("what is told with a message", () => {
  it("stands behind the words", () => {
    const told = [{ id: "m1", text: "Rex lost the watch." }];
    expect(composed("Have you heard? ", told)).toBe("Have you heard? ${memory.m1}");
    expect(composed("  ", told)).toBe("${memory.m1}");
  });

  it("is known by its id", () => {
    expect(idIn(tokenOf("m1"))).toBe("m1");
    expect(idIn("${image.smile}")).toBeNull();
  });
});
