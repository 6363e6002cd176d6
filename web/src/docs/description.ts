// From an OpenAPI document to what the page shows: operations by their subject, and an example for each body.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  description?: string;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  about: string;
  parameters: Parameter[];
  // A JSON body to begin with; null where there is none. `file`: the body is a file.
  body: string | null;
  file: boolean;
}

export interface Subject {
  name: string;
  operations: Operation[];
}

interface RawOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

export interface Document {
  info: { title: string; version: string };
  paths: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, Schema> };
}

const DEEPEST = 6;

export function subjectsOf(document: Document): Subject[] {
  const subjects = new Map<string, Operation[]>();
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, raw] of Object.entries(operations)) {
      const name = raw.tags?.[0] ?? "server";
      subjects.set(name, [...(subjects.get(name) ?? []), operationOf(document, method, path, raw)]);
    }
  return [...subjects].map(([name, operations]) => ({ name, operations }));
}

function operationOf(document: Document, method: string, path: string, raw: RawOperation): Operation {
  const json = raw.requestBody?.content["application/json"]?.schema;
  return {
    id: `${method}-${raw.operationId ?? path}`,
    method: method.toUpperCase(),
    path,
    summary: raw.summary ?? "",
    about: raw.description ?? "",
    parameters: raw.parameters ?? [],
    body: json ? JSON.stringify(exampleOf(json, document.components?.schemas ?? {}), null, 2) : null,
    file: Boolean(raw.requestBody?.content["application/octet-stream"]),
  };
}

/** Required fields only: what is left out has a default. */
export function exampleOf(schema: Schema, known: Record<string, Schema>, depth = 0): unknown {
  const plain = resolved(schema, known);
  if (plain.default !== undefined) return plain.default;
  if (plain.const !== undefined) return plain.const;
  if (plain.enum) return plain.enum[0];
  if (plain.anyOf?.[0]) return exampleOf(plain.anyOf[0], known, depth + 1);
  const type = Array.isArray(plain.type) ? plain.type[0] : plain.type;
  if (type === "object" || plain.properties) return depth < DEEPEST ? fieldsOf(plain, known, depth) : {};
  if (type === "array") return plain.items && depth < DEEPEST ? [exampleOf(plain.items, known, depth + 1)] : [];
  if (type === "integer" || type === "number") return 0;
  if (type === "boolean") return false;
  return type === "null" ? null : "";
}

function fieldsOf(schema: Schema, known: Record<string, Schema>, depth: number): Record<string, unknown> {
  const wanted = schema.required ?? [];
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => wanted.includes(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, known, depth + 1)]));
}

function resolved(schema: Schema, known: Record<string, Schema>): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name ? (known[name] ?? {}) : schema;
}

/** The address to ask, with what was filled in. */
export function addressOf(operation: Operation, values: Record<string, string>): string {
  let path = operation.path;
  const query = new URLSearchParams();
  for (const { name, in: where } of operation.parameters) {
    const value = values[name] ?? "";
    if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (where === "query" && value) query.set(name, value);
  }
  return query.size ? `${path}?${query}` : path;
}
