import { describe, expect, it } from "vitest";
import { PRESETS, presetFor } from "../src/settings/presets";

describe("the preset of an address", () => {
  it.each(PRESETS.filter(({ address }) => address))("$name is found by its address", (preset) => {
    expect(presetFor(preset.provider ?? "", `${preset.address}/`)).toBe(preset);
  });

  it("is Ollama on another computer too, and Other for the rest", () => {
    expect(presetFor("ollama", "http://tower:11434").name).toBe("Ollama");
    expect(presetFor("ollama", "http://tower:11434/v1").name).toBe("Other");
    expect(presetFor("openai", "https://example.org/v1").name).toBe("Other");
  });
});
