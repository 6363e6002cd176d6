import { describe, expect, it } from "vitest";
import { PRESETS, presetFor, withScheme } from "../src/settings/presets";

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

describe("an address without its scheme", () => {
  it.each([
    ["localhost:11434", "http://localhost:11434"],
    ["192.168.1.20:8080/v1", "http://192.168.1.20:8080/v1"],
    ["tower/v1", "http://tower/v1"],
    ["tower.local:1234/v1", "http://tower.local:1234/v1"],
    [" api.openai.com/v1 ", "https://api.openai.com/v1"],
    ["http://example.org/v1", "http://example.org/v1"],
    ["", ""],
  ])("%s becomes %s", (typed, completed) => expect(withScheme(typed)).toBe(completed));
});
