import { describe, expect, it } from "vitest";
import { type ConfigSchema, groupsOf, fromInput, toInput } from "../src/config/fields";

const SCHEMA: ConfigSchema = {
  groups: [{ title: "Chat", fields: ["rating", "private", "recall", "gone"] }],
  $defs: { Rating: { enum: ["E", "T"], type: "string" }, Stage: { properties: { guidance: { type: "string", maxLength: 9_000 } } } },
  properties: {
    rating: { $ref: "#/$defs/Rating", default: "E", description: "Who it is for.", title: "Content rating", labels: { E: "Everyone", T: "Teen" } },
    private: { type: "boolean", default: false },
    recall: { anyOf: [{ type: "boolean" }, { type: "null" }], default: null, advanced: true },
    window: { anyOf: [{ type: "integer", minimum: 10 }, { type: "null" }], default: null },
    stream: { type: "boolean", default: false, hidden: true },
    tags: { type: "array", items: { type: "string" }, default: [] },
    stages: { type: "array", items: { $ref: "#/$defs/Stage" }, default: [] },
  },
};

describe("the form of the config", () => {
  const fields = groupsOf(SCHEMA).flatMap((group) => [...group.fields, ...group.advanced]);
  const named = (name: string) => fields.find((field) => field.name === name)!;

  const names = (of: { name: string }[]) => of.map(({ name }) => name);

  it("has every field once, advanced ones apart, and none that only the API needs", () => {
    expect(groupsOf(SCHEMA).map(({ title, fields, advanced }) => [title, names(fields), names(advanced)])).toEqual([
      ["Chat", ["rating", "private"], ["recall"]],
      ["More", ["window", "tags", "stages"], []],
    ]);
    expect(groupsOf(SCHEMA, ["rating", "private", "recall"])).toHaveLength(1);
  });

  it("knows what each takes", () => {
    expect(fields.map(({ kind }) => kind)).toEqual(["choice", "switch", "choice", "number", "words", "records"]);
    expect(named("recall").options.map(({ label }) => label)).toEqual(["Automatic", "Yes", "No"]);
    expect(named("rating")).toMatchObject({ label: "Content rating" });
    expect(named("rating").options.map(({ label }) => label)).toEqual(["Everyone", "Teen"]);
    expect(named("window")).toMatchObject({ min: 10, isWhole: true, isOptional: true });
    expect(named("stages").parts.map(({ name, kind }) => [name, kind])).toEqual([["guidance", "prose"]]);
  });

  it("turns what was typed into a value, and back", () => {
    expect(fromInput(named("window"), "")).toBeNull();
    expect(fromInput(named("window"), "4096")).toBe(4096);
    expect(fromInput(named("recall"), "2")).toBe(false);
    expect(toInput(named("recall"), false)).toBe("2");
    expect(fromInput(named("tags"), "smile,  , beach\n")).toEqual(["smile", "beach"]);
    expect(toInput(named("tags"), ["smile", "beach"])).toBe("smile, beach");
  });
});
