import { describe, expect, it } from "vitest";
import type { ResolvedSection, Written } from "../src/api/types";
import {
  addSection,
  assignRole,
  changeSection,
  conditionText,
  excludeSection,
  isEditable,
  type Inherited,
  moveSection,
  renameSection,
  resetSection,
  rowsOf,
} from "../src/templates/sections";

function inherited(...names: string[]): Inherited {
  const resolved = names.map(
    (name, at): ResolvedSection => ({
      name,
      role: "system",
      order: (at + 1) * 10,
      required: false,
      condition: "always",
      numbered: name === "rules",
      content: [`About ${name}.`],
      origin: "Base",
    }),
  );
  return { resolved, roles: { assistant: { content: ["Hello."], consent: false } } };
}

const named = (document: Written, parent: Inherited | null = null) =>
  rowsOf(document, parent).map(({ name, state }) => `${name} ${state}`);
const row = (document: Written, parent: Inherited | null, name: string) =>
  rowsOf(document, parent).find((each) => each.name === name)!;

describe("the rows of the form", () => {
  it("are the inherited sections with the changes of the template, in the order of the prompt", () => {
    const sections = { rules: { override: true, order: 5 }, scene: { exclude: true }, weather: { order: 15, content: "Rain." } };

    expect(named({ sections }, inherited("identity", "rules", "scene"))).toEqual([
      "rules changed",
      "identity inherited",
      "weather own",
      "scene excluded",
    ]);
    expect(row({ sections }, inherited("rules"), "rules").content).toEqual(["About rules."]);
  });

  it("stand under the role that says them", () => {
    const document = { sections: { a: { order: 2, content: "A" }, b: { order: 1, content: "B" } }, roles: { user: { sections: ["b"] } } };

    expect(rowsOf(document, null).map(({ name, role }) => `${name} ${role}`)).toEqual(["a system", "b user"]);
  });
});

describe("a document the form cannot show", () => {
  it.each([
    { system: ["You are a pirate."] },
    { sections: [] },
    { sections: { a: "text" } },
    { sections: { a: { content: 3 } } },
    { roles: { user: { sections: "a", content: {} } } },
    { variables: { a: 1 } },
  ])("is one that is shaped differently", (document) => expect(isEditable(document)).toBe(false));

  it("is none that the server accepts", () => {
    expect(isEditable({ name: "x", sections: { a: { content: "A" }, b: { exclude: true } }, variables: { c: "" } })).toBe(true);
  });
});

describe("a change", () => {
  it("overrides only the field that was changed in an inherited section", () => {
    const parent = inherited("identity", "rules");
    const document = changeSection({ name: "x" }, row({ name: "x" }, parent, "rules"), { condition: "isGuest" });

    expect(document.sections).toEqual({ rules: { override: true, condition: "isGuest" } });
    expect(resetSection(document, "rules", false).sections).toEqual({});
    expect(excludeSection(document, "rules").sections).toEqual({ rules: { exclude: true } });
  });

  it("moves a section past its neighbor, and leaves all others where they are", () => {
    const parent = inherited("a", "b", "c");
    const up = moveSection({}, rowsOf({}, parent), "c", -1);

    expect(up.sections).toEqual({ c: { override: true, order: 15 } });
    expect(named(up, parent)).toEqual(["a inherited", "c changed", "b inherited"]);
    expect(moveSection(up, rowsOf(up, parent), "a", -1)).toBe(up);
  });

  it("moves a section in between where there is no room", () => {
    const sections = Object.fromEntries(["a", "b", "c", "d"].map((name, at) => [name, { order: at, content: name }]));
    const moved = moveSection({ sections }, rowsOf({ sections }, null), "d", -1);

    expect(rowsOf(moved, null).map(({ name }) => name)).toEqual(["a", "b", "d", "c"]);
    const same = Object.fromEntries(["a", "b", "c"].map((name) => [name, { content: name }]));
    expect(rowsOf(moveSection({ sections: same }, rowsOf({ sections: same }, null), "a", 1), null).map(({ name }) => name)).toEqual([
      "b",
      "a",
      "c",
    ]);
  });

  it("skips sections that are left out when moving", () => {
    const parent = inherited("a", "b", "c");
    const document = { sections: { b: { exclude: true } } };
    const moved = moveSection(document, rowsOf(document, parent), "c", -1);

    expect(named(moved, parent)).toEqual(["c changed", "a inherited", "b excluded"]);
  });

  it("gives a section to another role, with what that role inherits", () => {
    const parent = inherited("a", "b");
    const document = assignRole({}, parent, rowsOf({}, parent), row({}, parent, "b"), "assistant");

    expect(document.roles).toEqual({ assistant: { sections: ["b"], content: ["Hello."], consent: false } });
    const back = assignRole(document, parent, rowsOf(document, parent), row(document, parent, "b"), "system");
    expect(rowsOf(back, parent).map(({ role }) => role)).toEqual(["system", "system"]);
  });

  it("renames and deletes a section in its roles too", () => {
    const document = { sections: { a: { content: "A" }, b: { content: "B" } }, roles: { user: { sections: ["a", "b"] } } };
    const renamed = renameSection(document, "a", "z");

    expect(renamed).toEqual({ sections: { z: { content: "A" }, b: { content: "B" } }, roles: { user: { sections: ["z", "b"] } } });
    expect(resetSection(renamed, "z", true)).toEqual({ sections: { b: { content: "B" } }, roles: { user: { sections: ["b"] } } });
  });

  it("adds a section at the end, under a free name", () => {
    const { document, name } = addSection({}, rowsOf({ sections: { section: { order: 30 } } }, null));

    expect([name, document.sections]).toEqual(["section2", { section2: { order: 40, content: [""] } }]);
  });
});

it("writes a condition that is JSON as text", () => {
  expect(conditionText({ and: ["hasMemories", { not: { or: ["isGuest", "useNLP"] } }] })).toBe(
    "hasMemories and not (isGuest or useNLP)",
  );
});
