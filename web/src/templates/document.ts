/** Templates as JSON text, without what equals the defaults. */
import type { Template, Written } from "../api/types";

// Leaving these out means the same. An empty `content` of a section is different: it overrides.
const OF_TEMPLATE = { description: "", style: "", sections: {}, roles: {}, variables: {} };
const OF_SECTION = { override: false, exclude: false };
const OF_ROLE = { sections: [], content: [], consent: false };

/** The version is counted by the server. */
export function textOf({ version: _counted, ...document }: Template["document"]): string {
  const sections = each(document.sections, (section) => without(section, OF_SECTION));
  const roles = each(document.roles, (role) => without(role, OF_ROLE));
  return JSON.stringify(without({ ...document, sections, roles }, OF_TEMPLATE), null, 2);
}

function each<T>(named: Record<string, T> | undefined, change: (value: T) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(named ?? {}).map(([name, value]) => [name, change(value)]));
}

function without(record: object, defaults: Record<string, unknown>): object {
  const isSaid = ([name, value]: [string, unknown]) =>
    value !== null && (!(name in defaults) || JSON.stringify(value) !== JSON.stringify(defaults[name]));
  return Object.fromEntries(Object.entries(record).filter(isSaid));
}

export type Read = { document: Written; error: "" } | { document: null; error: string };

export function read(text: string): Read {
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === "object" && document && !Array.isArray(document))
      return { document: document as Written, error: "" };
    return { document: null, error: "A template is a JSON object. Start with { and end with }." };
  } catch (reason) {
    return { document: null, error: `Not valid JSON: ${(reason as SyntaxError).message}` };
  }
}

/** A template that extends `parent` and changes nothing yet. */
export function childOf(parent: string, taken: string[]): string {
  return JSON.stringify({ name: free(`My ${parent}`, taken), extends: parent, sections: {} }, null, 2);
}

export function newTemplate(taken: string[]): string {
  const sections = {
    identity: { order: 10, required: true, content: ["You are ${system.fullName}.", "${system.about}"] },
    rules: { order: 20, content: ["Stay in character.", "Answer the latest message."] },
    memory: { order: 30, condition: "hasMemories", content: ["${memory.context}"] },
  };
  return JSON.stringify({ name: free("My template", taken), sections }, null, 2);
}

function free(name: string, taken: string[]): string {
  let wanted = name;
  for (let number = 2; taken.includes(wanted); number++) wanted = `${name} ${number}`;
  return wanted;
}

export type LineKind = "head" | "place" | "added" | "removed" | "same";

/** The lines of a unified diff. Its first two name the versions. */
export function diffLines(diff: string): { kind: LineKind; text: string }[] {
  return diff.split("\n").map((text, number) => ({ kind: number < 2 ? "head" : kindOf(text), text }));
}

function kindOf(line: string): LineKind {
  if (line.startsWith("@@")) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}
