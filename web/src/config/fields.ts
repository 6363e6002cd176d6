/**
 * The fields of a form, drawn from the one definition of a conversation's config that the server gives (V6).
 *
 * In: its JSON schema. Out: groups of fields, each with what it takes, its bounds and what it is when nobody set it.
 * Start at `groupsOf`.
 */
export interface ConfigSchema {
  properties: Record<string, Property>;
  groups: { title: string; fields: string[] }[];
  $defs?: Record<string, Property>;
}

interface Property {
  $ref?: string;
  type?: string;
  anyOf?: Property[];
  enum?: string[];
  items?: Property;
  properties?: Record<string, Property>;
  required?: string[];
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

export type Kind = "switch" | "choice" | "number" | "line" | "prose" | "words" | "records";

export interface Option {
  label: string;
  value: unknown;
}

export interface Field {
  name: string;
  label: string;
  help: string;
  kind: Kind;
  /** What holds while nobody has set it. */
  usual: unknown;
  /** It may also be left to the server. */
  isOptional: boolean;
  options: Option[];
  least?: number | undefined;
  most?: number | undefined;
  isWhole: boolean;
  longest?: number | undefined;
  /** What each of the records holds. */
  parts: Field[];
}

export interface Group {
  title: string;
  fields: Field[];
}

const PROSE_FROM = 2_000;
const AUTOMATIC: Option = { label: "Automatic", value: null };
const YES_OR_NO: Option[] = [
  { label: "Yes", value: true },
  { label: "No", value: false },
];

/** The fields in the groups that the definition names; those that it names in none stand in the last one. */
export function groupsOf(schema: ConfigSchema, without: readonly string[] = []): Group[] {
  const named = new Set(schema.groups.flatMap(({ fields }) => fields));
  const rest = Object.keys(schema.properties).filter((name) => !named.has(name));
  const groups = rest.length ? [...schema.groups, { title: "More", fields: rest }] : schema.groups;
  return groups
    .map(({ title, fields }) => ({ title, fields: fields.filter((name) => !without.includes(name)) }))
    .map(({ title, fields }) => ({ title, fields: fields.flatMap((name) => fieldNamed(schema, name)) }))
    .filter(({ fields }) => fields.length > 0);
}

function fieldNamed(schema: ConfigSchema, name: string): Field[] {
  const property = schema.properties[name];
  return property ? [fieldOf(schema, name, property)] : [];
}

function fieldOf(schema: ConfigSchema, name: string, given: Property): Field {
  const either = given.anyOf ?? [given];
  const isOptional = either.some(({ type }) => type === "null");
  const plain = resolved(schema, either.find(({ type }) => type !== "null") ?? given);
  const kind = kindOf(plain, isOptional);
  const parts = kind === "records" ? partsOf(schema, resolved(schema, plain.items ?? {})) : [];
  return {
    name,
    label: labelOf(name),
    help: given.description ?? "",
    kind,
    usual: given.default ?? null,
    isOptional,
    options: kind === "choice" ? optionsOf(plain, isOptional) : [],
    least: plain.minimum,
    most: plain.maximum,
    isWhole: plain.type === "integer",
    longest: plain.maxLength,
    parts,
  };
}

function resolved(schema: ConfigSchema, property: Property): Property {
  const name = property.$ref?.split("/").at(-1);
  return name ? { ...schema.$defs?.[name], ...property } : property;
}

function kindOf({ type, enum: names, items, maxLength }: Property, isOptional: boolean): Kind {
  if (names || (type === "boolean" && isOptional)) return "choice";
  if (type === "boolean") return "switch";
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return items?.type === "string" ? "words" : "records";
  return (maxLength ?? 0) >= PROSE_FROM ? "prose" : "line";
}

function optionsOf({ enum: names }: Property, isOptional: boolean): Option[] {
  const options = names ? names.map((value) => ({ label: value, value })) : YES_OR_NO;
  return isOptional ? [AUTOMATIC, ...options] : options;
}

function partsOf(schema: ConfigSchema, record: Property): Field[] {
  return Object.entries(record.properties ?? {}).map(([name, property]) => fieldOf(schema, name, property));
}

export function labelOf(name: string): string {
  const words = name.replaceAll("_", " ").replace(/\bnlp\b/, "style");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What somebody typed, as the server takes it; an empty number is the one that holds anyway. */
export function valueOf(field: Field, typed: string): unknown {
  switch (field.kind) {
    case "number":
      return typed.trim() === "" ? field.usual : Number(typed);
    case "choice":
      return field.options[Number(typed)]?.value ?? null;
    case "words":
      return typed
        .split(/[,\n]/)
        .map((word) => word.trim())
        .filter(Boolean);
    default:
      return typed;
  }
}

/** A value as it stands in the field. */
export function shownIn(field: Field, value: unknown): string {
  if (field.kind === "words") return Array.isArray(value) ? value.join(", ") : "";
  if (field.kind === "choice") return String(field.options.findIndex((option) => option.value === value));
  return value === null || value === undefined ? "" : String(value);
}
