/**
 * The fields of the settings form, built from the server's one definition of a chat's config (V6).
 *
 * In: its JSON schema. Out: groups of fields, each with its label, help, kind of input, limits and default.
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
  title?: string;
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
  /** The choices in words. */
  labels?: Record<string, string>;
  /** Shown in the "Advanced" fold of its group. */
  advanced?: boolean;
  /** Not shown: only programs that use the API need it. */
  hidden?: boolean;
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
  defaultValue: unknown;
  /** It may also be left to the server. */
  isOptional: boolean;
  isAdvanced: boolean;
  options: Option[];
  min?: number | undefined;
  max?: number | undefined;
  isWhole: boolean;
  maxLength?: number | undefined;
  /** The fields of each record. */
  parts: Field[];
}

export interface Group {
  title: string;
  fields: Field[];
  advanced: Field[];
}

const PROSE_FROM = 2_000;
const AUTOMATIC: Option = { label: "Automatic", value: null };
const YES_OR_NO: Option[] = [
  { label: "Yes", value: true },
  { label: "No", value: false },
];

/** The fields in the groups of the schema; fields without a group come last. Hidden fields are left out. */
export function groupsOf(schema: ConfigSchema, without: readonly string[] = []): Group[] {
  const grouped = new Set(schema.groups.flatMap(({ fields }) => fields));
  const rest = Object.keys(schema.properties).filter((name) => !grouped.has(name));
  const groups = rest.length ? [...schema.groups, { title: "More", fields: rest }] : schema.groups;
  return groups
    .map(({ title, fields: names }) => {
      const fields = names.filter((name) => !without.includes(name)).flatMap((name) => fieldNamed(schema, name));
      return {
        title,
        fields: fields.filter(({ isAdvanced }) => !isAdvanced),
        advanced: fields.filter(({ isAdvanced }) => isAdvanced),
      };
    })
    .filter(({ fields, advanced }) => fields.length + advanced.length > 0);
}

function fieldNamed(schema: ConfigSchema, name: string): Field[] {
  const property = schema.properties[name];
  return property && !property.hidden ? [fieldOf(schema, name, property)] : [];
}

function fieldOf(schema: ConfigSchema, name: string, given: Property): Field {
  const variants = given.anyOf ?? [given];
  const isOptional = variants.some(({ type }) => type === "null");
  const plain = resolve(schema, variants.find(({ type }) => type !== "null") ?? given);
  const kind = kindOf(plain, isOptional);
  const parts = kind === "records" ? partsOf(schema, resolve(schema, plain.items ?? {})) : [];
  return {
    name,
    label: given.title ?? name,
    help: given.description ?? "",
    kind,
    defaultValue: given.default ?? null,
    isOptional,
    isAdvanced: given.advanced ?? false,
    options: kind === "choice" ? optionsOf(plain, given.labels ?? {}, isOptional) : [],
    min: plain.minimum,
    max: plain.maximum,
    isWhole: plain.type === "integer",
    maxLength: plain.maxLength,
    parts,
  };
}

function resolve(schema: ConfigSchema, property: Property): Property {
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

function optionsOf({ enum: names }: Property, labels: Record<string, string>, isOptional: boolean): Option[] {
  const options = names ? names.map((value) => ({ label: labels[value] ?? value, value })) : YES_OR_NO;
  return isOptional ? [AUTOMATIC, ...options] : options;
}

function partsOf(schema: ConfigSchema, record: Property): Field[] {
  return Object.entries(record.properties ?? {}).map(([name, property]) => fieldOf(schema, name, property));
}

/** The text of an input as the value that the server takes. An empty number means the default. */
export function fromInput(field: Field, text: string): unknown {
  switch (field.kind) {
    case "number":
      return text.trim() === "" ? field.defaultValue : Number(text);
    case "choice":
      return field.options[Number(text)]?.value ?? null;
    case "words":
      return text
        .split(/[,\n]/)
        .map((word) => word.trim())
        .filter(Boolean);
    default:
      return text;
  }
}

/** A value as the text of its input. */
export function toInput(field: Field, value: unknown): string {
  if (field.kind === "words") return Array.isArray(value) ? value.join(", ") : "";
  if (field.kind === "choice") return String(field.options.findIndex((option) => option.value === value));
  return value === null || value === undefined ? "" : String(value);
}
