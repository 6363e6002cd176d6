import { describe, expect, it } from "vitest";
import type { Template } from "../src/api/types";
import { childOf, diffLines, newTemplate, read, textOf } from "../src/templates/document";

type Document = Template["document"];
const nothing = { order: null, required: null, condition: null, content: null, numbered: null };

function document(fields: Partial<Document> = {}): Document {
  const empty = { description: "", extends: null, style: "", framing: null, sections: {}, roles: {}, variables: {} };
  return { name: "Tides", version: 3, ...empty, ...fields };
}

describe("the text of a template", () => {
  it("has only what was written", () => {
    expect(JSON.parse(textOf(document()))).toEqual({ name: "Tides" });
  });

  it("keeps what means something, even if it looks like nothing", () => {
    const sections = {
      rules: { ...nothing, required: false, content: [], override: true, exclude: false },
      scene: { ...nothing, override: false, exclude: true },
    };
    const roles = { assistant: { sections: [], content: ["Hello."], consent: false } };

    expect(JSON.parse(textOf(document({ sections, roles, extends: "Base Roleplay" })))).toEqual({
      name: "Tides",
      extends: "Base Roleplay",
      sections: { rules: { required: false, content: [], override: true }, scene: { exclude: true } },
      roles: { assistant: { content: ["Hello."] } },
    });
  });

  it("keeps variables that are empty, whatever they are called", () => {
    const variables = { style: "", description: "", mood: "calm" };

    expect(JSON.parse(textOf(document({ variables })))).toEqual({ name: "Tides", variables });
  });

  it("keeps sections that are called like fields", () => {
    const section = { ...nothing, order: 1, override: false, exclude: false };
    const sections = { description: section, version: section, override: section };

    expect(Object.keys(JSON.parse(textOf(document({ sections }))).sections)).toEqual(Object.keys(sections));
  });

  it("is read as an object, or with a sentence on why it is none", () => {
    expect(read('{"name": "x"}')).toEqual({ document: { name: "x" }, error: "" });
    for (const text of ["", "{", '{"name": }']) expect(read(text).error).toContain("Not valid JSON");
    for (const text of ["[]", "null", "3"]) expect(read(text)).toMatchObject({ document: null });
  });
});

describe("a new template", () => {
  it("extends the one that it is made from, under a name that is free", () => {
    const taken = ["SMS Chat", "My SMS Chat", "My SMS Chat 2"];

    expect(JSON.parse(childOf("SMS Chat", taken))).toEqual({
      name: "My SMS Chat 3",
      extends: "SMS Chat",
      sections: {},
    });
  });

  it("has a place for memory", () => {
    expect(newTemplate([])).toContain("${memory.context}");
  });
});

describe("a diff", () => {
  it("tells apart what was added, what was removed, and what stands around it", () => {
    const diff = '--- version 1\n+++ version 2\n@@ -1 +1 @@\n {\n-  "a"\n+  "b"';

    expect(diffLines(diff).map(({ kind }) => kind)).toEqual(["head", "head", "place", "same", "removed", "added"]);
  });
});
