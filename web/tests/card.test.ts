import { describe, expect, it } from "vitest";
import { type Card, followed } from "../src/people/card";

const card = (changes: Partial<Card> = {}): Card => ({
  name: "Odile",
  age: "34",
  lines: { pronouns: "", gender: "", race: "" },
  texts: {
    description: "Keeps the light.",
    personality: "Dry.",
    scenario: "",
    speech_pattern: "",
    emotional_tendency: "",
    example_dialogue: "",
    description_public: "",
    description_light: "",
  },
  greetings: ["You are late."],
  statistics: { intelligence: "", mental_strength: "", charisma: "" },
  tags: "",
  ...changes,
});

describe("a card that is changed in two windows", () => {
  it("follows the other one where nothing was touched here", () => {
    const before = card();
    const mine = card({ name: "Odile Tern", texts: { ...before.texts, personality: "Warm." } });
    const now = card({ age: "35", texts: { ...before.texts, description: "Keeps the ferry." } });

    const shown = followed(mine, before, now);

    expect([shown.name, shown.age]).toEqual(["Odile Tern", "35"]);
    expect([shown.texts.personality, shown.texts.description]).toEqual(["Warm.", "Keeps the ferry."]);
  });

  it("keeps what was written here where both were changed", () => {
    const shown = followed(card({ tags: "mine" }), card(), card({ tags: "theirs" }));

    expect(shown.tags).toBe("mine");
  });
});
