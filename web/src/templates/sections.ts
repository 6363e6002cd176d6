/** The sections of a template as its form edits them. Every function returns a new document. */
import type { ResolvedSection, RoleName, Written } from "../api/types";

export const ROLES: RoleName[] = ["system", "user", "assistant"];
const DEFAULT_ORDER = 100;
const STEP = 10;

/** A section as it is written in a document. What it leaves out is inherited. */
export interface SectionFields {
  order?: number | null;
  condition?: unknown;
  content?: string | string[] | null;
  required?: boolean | null;
  numbered?: boolean | null;
  override?: boolean;
  exclude?: boolean;
}

export interface RoleFields {
  sections?: string[];
  content?: string | string[];
  consent?: boolean;
}

interface RoleText {
  content: string[];
  consent: boolean;
}

/** What a template gets from the one that it extends. */
export interface Inherited {
  resolved: ResolvedSection[];
  roles: Partial<Record<RoleName, RoleFields>>;
}

export type SectionState = "own" | "inherited" | "changed" | "excluded";

/** A section with all that it inherits. */
export interface Row {
  name: string;
  role: RoleName;
  state: SectionState;
  /** The template that it is inherited from; empty for one of its own. */
  origin: string;
  order: number;
  condition: string;
  content: string[];
  required: boolean;
  numbered: boolean;
}

type Named<T> = Record<string, T>;
const isRecord = (value: unknown): value is Named<unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown) =>
  value == null || typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string"));

/** Whether the form can show the document. An older flat prompt config, for example, has no sections. */
export function isEditable({ sections = {}, roles = {}, variables = {}, system, lines }: Written): boolean {
  const isFlat = system !== undefined || lines !== undefined;
  return !isFlat && areRecords(sections, "content") && areRecords(roles, "content", "sections") && areTexts(variables);
}

function areRecords(value: unknown, ...lists: string[]): boolean {
  return (
    isRecord(value) &&
    Object.values(value).every((each) => isRecord(each) && lists.every((name) => isTexts(each[name])))
  );
}

const areTexts = (value: unknown) =>
  isRecord(value) && Object.values(value).every((each) => typeof each === "string");

export const sectionsOf = (document: Written) => (document.sections ?? {}) as Named<SectionFields>;
const rolesOf = (document: Written) => (document.roles ?? {}) as Partial<Record<RoleName, RoleFields>>;
export const listOf = (content: string | string[] | null | undefined) =>
  typeof content === "string" ? [content] : (content ?? []);

/** All sections, by role and in the order of the prompt. Those that are left out stay at their place. */
export function rowsOf(document: Written, parent: Inherited | null): Row[] {
  const own = sectionsOf(document);
  const inherited = parent?.resolved ?? [];
  const names = new Set([...inherited.map(({ name }) => name), ...Object.keys(own)]);
  const rows = [...names].map((name) =>
    rowOf(name, own[name], inherited.find((each) => each.name === name), roleOf(name, document, inherited)),
  );
  const place = ({ role, order }: Row) => [ROLES.indexOf(role), order] as const;
  return rows.sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1]);
}

function rowOf(name: string, own: SectionFields | undefined, base: ResolvedSection | undefined, role: RoleName): Row {
  const state = !base ? "own" : !own ? "inherited" : own.exclude ? "excluded" : "changed";
  const fields = state === "excluded" ? undefined : own;
  return {
    name,
    role,
    state,
    origin: base?.origin ?? "",
    order: fields?.order ?? base?.order ?? DEFAULT_ORDER,
    condition: fields?.condition != null ? conditionText(fields.condition) : (base?.condition ?? "always"),
    content: fields?.content != null ? listOf(fields.content) : [...(base?.content ?? [])],
    required: fields?.required ?? base?.required ?? false,
    numbered: fields?.numbered ?? base?.numbered ?? name === "rules",
  };
}

/** A role that a template defines replaces its parent's. A section that no role names belongs to the system prompt. */
function roleOf(name: string, document: Written, inherited: ResolvedSection[]): RoleName {
  const roles = rolesOf(document);
  const found = ROLES.find((role) =>
    roles[role]
      ? roles[role].sections?.includes(name)
      : role !== "system" && inherited.some((each) => each.name === name && each.role === role),
  );
  return found ?? "system";
}

/** A condition as text, also one that is written as JSON. */
export function conditionText(condition: unknown): string {
  if (typeof condition === "string") return condition;
  if (!isRecord(condition)) return JSON.stringify(condition);
  const grouped = (each: unknown) => {
    const isSingle = typeof each === "string" || (isRecord(each) && "not" in each);
    return isSingle ? conditionText(each) : `(${conditionText(each)})`;
  };
  const [[word, of] = ["", ""]] = Object.entries(condition);
  if (word === "not") return `not ${grouped(of)}`;
  return Array.isArray(of) ? of.map(grouped).join(` ${word} `) : JSON.stringify(condition);
}

export function changeSection(document: Written, { name, state }: Row, change: SectionFields): Written {
  const sections = sectionsOf(document);
  const mark = state === "own" ? {} : { override: true };
  const before = state === "excluded" ? {} : sections[name];
  return { ...document, sections: { ...sections, [name]: { ...before, ...mark, ...change } } };
}

/** Deletes a section of the template's own, or goes back to the inherited one. */
export function resetSection(document: Written, name: string, isGone: boolean): Written {
  const { [name]: _, ...sections } = sectionsOf(document);
  const left = { ...document, sections };
  return isGone ? renameInRoles(left, name, null) : left;
}

export function excludeSection(document: Written, name: string): Written {
  return { ...document, sections: { ...sectionsOf(document), [name]: { exclude: true } } };
}

export function addSection(document: Written, rows: Row[]): { document: Written; name: string } {
  const taken = rows.map(({ name }) => name);
  let name = "section";
  for (let number = 2; taken.includes(name); number++) name = `section${number}`;
  const orders = rows.filter(({ role }) => role === "system").map(({ order }) => order);
  const section = { order: Math.max(0, ...orders) + STEP, content: [""] };
  return { document: { ...document, sections: { ...sectionsOf(document), [name]: section } }, name };
}

export function renameSection(document: Written, from: string, to: string): Written {
  const renamed = Object.entries(sectionsOf(document)).map(([name, each]) => [name === from ? to : name, each]);
  return renameInRoles({ ...document, sections: Object.fromEntries(renamed) }, from, to);
}

function renameInRoles(document: Written, from: string, to: string | null): Written {
  const renamed = Object.entries(rolesOf(document)).map(([role, fields]) => {
    const sections = fields.sections?.flatMap((name) => (name !== from ? [name] : to ? [to] : []));
    return [role, sections ? { ...fields, sections } : fields];
  });
  return renamed.length ? { ...document, roles: Object.fromEntries(renamed) } : document;
}

/** Moves a section up or down among those of its role; sections that are left out do not count. */
export function moveSection(document: Written, rows: Row[], name: string, by: -1 | 1): Written {
  const role = rows.find((each) => each.name === name)?.role;
  const list = rows.filter((each) => each.role === role && each.state !== "excluded");
  const at = list.findIndex((each) => each.name === name);
  const to = at + by;
  if (at < 0 || to < 0 || to >= list.length) return document;
  list.splice(to, 0, ...list.splice(at, 1));
  return ordersOf(list, to).reduce((changed, [row, order]) => changeSection(changed, row, { order }), document);
}

/** The orders to change so that `list[moved]` comes at its new place, and nothing else moves. */
function ordersOf(list: Row[], moved: number): [Row, number][] {
  const before = list[moved - 1]?.order;
  const after = list[moved + 1]?.order;
  if (before === undefined) return [[list[moved]!, after! - STEP]];
  if (after === undefined) return [[list[moved]!, before + STEP]];
  if (after - before > 1) return [[list[moved]!, Math.floor((before + after) / 2)]];
  const changes: [Row, number][] = [[list[moved]!, before + 1]];
  let last = before + 1;
  for (const row of list.slice(moved + 1)) {
    if (row.order > last) break;
    changes.push([row, ++last]);
  }
  return changes;
}

/** What a role says, with its inherited lines. */
export function roleFields(document: Written, parent: Inherited | null, role: RoleName): RoleFields & RoleText {
  const { sections, content, consent } = rolesOf(document)[role] ?? parent?.roles[role] ?? {};
  return { sections: sections ?? [], content: listOf(content), consent: consent ?? false };
}

export function changeRole(
  document: Written,
  parent: Inherited | null,
  rows: Row[],
  role: RoleName,
  change: RoleFields,
): Written {
  const sections = rows.filter((each) => each.role === role).map(({ name }) => name);
  const before = roleFields(document, parent, role);
  return { ...document, roles: { ...rolesOf(document), [role]: { ...before, sections, ...change } } };
}

/** Lets another role say a section. */
export function assignRole(
  document: Written,
  parent: Inherited | null,
  rows: Row[],
  { name, role: from }: Row,
  to: RoleName,
): Written {
  const names = (role: RoleName) => rows.filter((each) => each.role === role).map((each) => each.name);
  const left = names(from).filter((each) => each !== name);
  const isNamed = from !== "system" || rolesOf(document).system;
  const without = isNamed ? changeRole(document, parent, rows, from, { sections: left }) : document;
  return to === "system" ? without : changeRole(without, parent, rows, to, { sections: [...names(to), name] });
}
