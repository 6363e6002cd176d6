import { describe, expect, it } from "vitest";
import { type ConfigSchema, groupsOf, labelOf, shownIn, valueOf } from "../src/config/fields";

const SCHEMA: ConfigSchema = {
  groups: [{ title: "The talk", fields: ["rating", "private", "recall", "gone"] }],
  $defs: { Rating: { enum: ["E", "T"], type: "string" }, Stage: { properties: { guidance: { type: "string", maxLength: 9_000 } } } },
  properties: {
    rating: { $ref: "#/$defs/Rating", default: "E", description: "Content rating." },
    private: { type: "boolean", default: false },
    recall: { anyOf: [{ type: "boolean" }, { type: "null" }], default: null },
    window: { anyOf: [{ type: "integer", minimum: 10 }, { type: "null" }], default: null },
    tags: { type: "array", items: { type: "string" }, default: [] },
    stages: { type: "array", items: { $ref: "#/$defs/Stage" }, default: [] },
  },
};

describe("the form of the config", () => {
  const fields = groupsOf(SCHEMA).flatMap((group) => group.fields);
  const named = (name: string) => fields.find((field) => field.name === name)!;

  it("has every field once: in its group, or in the last one", () => {
    expect(groupsOf(SCHEMA).map(({ title, fields }) => [title, fields.map(({ name }) => name)])).toEqual([
      ["The talk", ["rating", "private", "recall"]],
      ["More", ["window", "tags", "stages"]],
    ]);
    expect(groupsOf(SCHEMA, ["rating", "private", "recall"])).toHaveLength(1);
  });

  it("knows what each takes", () => {
    expect(fields.map(({ kind }) => kind)).toEqual(["choice", "switch", "choice", "number", "words", "records"]);
    expect(named("recall").options.map(({ label }) => label)).toEqual(["Automatic", "Yes", "No"]);
    expect(named("window")).toMatchObject({ least: 10, isWhole: true, isOptional: true });
    expect(named("stages").parts.map(({ name, kind }) => [name, kind])).toEqual([["guidance", "prose"]]);
  });

  it("turns what was typed into a value, and back", () => {
    expect(valueOf(named("window"), "")).toBeNull();
    expect(valueOf(named("window"), "4096")).toBe(4096);
    expect(valueOf(named("recall"), "2")).toBe(false);
    expect(shownIn(named("recall"), false)).toBe("2");
    expect(valueOf(named("tags"), "smile,  , beach\n")).toEqual(["smile", "beach"]);
    expect(shownIn(named("tags"), ["smile", "beach"])).toBe("smile, beach");
    expect(labelOf("use_nlp")).toBe("Use style");
  });
});
