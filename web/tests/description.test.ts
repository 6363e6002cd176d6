import { describe, expect, it } from "vitest";
import { addressOf, exampleOf, subjectsOf, type Document, type Operation } from "../src/docs/description";

const known = {
  Turn: {
    type: "object",
    required: ["content", "mood", "who"],
    properties: {
      content: { type: "string" },
      mood: { enum: ["calm", "wild"] },
      who: { $ref: "#/components/schemas/Person" },
      stream: { anyOf: [{ type: "boolean" }, { type: "null" }] },
    },
  },
  Person: { type: "object", required: ["friends"], properties: { friends: { type: "array", items: { $ref: "#/x/Person" } } } },
};

describe("an example", () => {
  it("has what is required, with the first of what may be chosen", () => {
    expect(exampleOf({ $ref: "#/components/schemas/Turn" }, known)).toMatchObject({ content: "", mood: "calm" });
    expect(exampleOf({ $ref: "#/components/schemas/Turn" }, known)).not.toHaveProperty("stream");
  });

  it("ends, even where a shape holds itself", () => {
    expect(JSON.stringify(exampleOf({ $ref: "#/x/Person" }, known)).length).toBeLessThan(500);
  });
});

describe("the description", () => {
  const document: Document = {
    info: { title: "Everlore", version: "1" },
    paths: {
      "/api/talks/{id}": {
        get: { operationId: "get_talk", tags: ["talks"], parameters: [{ name: "id", in: "path", required: true }] },
        put: { operationId: "put_talk", tags: ["talks"], requestBody: { content: { "application/octet-stream": {} } } },
      },
      "/api/health": { get: {} },
    },
  };

  it("is told by subject", () => {
    const subjects = subjectsOf(document);

    expect(subjects.map(({ name, operations }) => [name, operations.length])).toEqual([["talks", 2], ["server", 1]]);
    expect(subjects[0]?.operations[1]?.file).toBe(true);
  });

  it("leads to an address in which nothing that was typed can break out", () => {
    const operation = { path: "/api/talks/{id}", parameters: [{ name: "id", in: "path" }, { name: "q", in: "query" }] };

    expect(addressOf(operation as Operation, { id: "../me?x", q: "a&b=c" })).toBe("/api/talks/..%2Fme%3Fx?q=a%26b%3Dc");
  });
});
