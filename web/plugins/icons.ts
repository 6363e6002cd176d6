/**
 * Draws only the icons that can appear: those of the interface, and those that the server gives to conversations.
 *
 * In: the list of the interface (src/look/interface-icons.ts) and icons.json, which scripts/web.sh writes from the
 * server's own list. Out: the module `virtual:icons`, a path for each name, and `given`, the server's list.
 */
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { INTERFACE } from "../src/look/interface-icons.ts";

interface Collection {
  icons: Record<string, { body: string }>;
  aliases?: Record<string, { parent: string }>;
}

// Rounded outlines, where a symbol has them; some are the same filled and not, and are kept once.
const SHAPES = ["-outline-rounded", "-rounded", "-outline", ""];
const VIRTUAL = "virtual:icons";

export function icons(): Plugin {
  return {
    name: "icons",
    resolveId: (id) => (id === VIRTUAL ? `\0${VIRTUAL}` : undefined),
    load: (id) => (id === `\0${VIRTUAL}` ? `export default ${JSON.stringify(drawn())};\nexport const given = ${JSON.stringify(given())}` : undefined),
  };
}

/** Those that a conversation can have. */
function given(): string[] {
  return read<string[]>("../icons.json");
}

function drawn(): Record<string, string> {
  const collection = read<Collection>("../node_modules/@iconify-json/material-symbols/icons.json");
  const names = new Set<string>([...INTERFACE, ...given()]);
  return Object.fromEntries([...names].sort().map((name) => [name, path(collection, name)]));
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), "utf-8")) as T;
}

function path(collection: Collection, name: string): string {
  const body = SHAPES.map((shape) => bodyOf(collection, name.replaceAll("_", "-") + shape)).find(Boolean);
  if (!body) throw new Error(`There is no Material Symbol ${name}. Correct the name in the list that holds it.`);
  return [...body.matchAll(/ d="([^"]+)"/g)].map((match) => match[1]).join("");
}

function bodyOf({ icons, aliases }: Collection, name: string): string | undefined {
  return icons[name]?.body ?? icons[aliases?.[name]?.parent ?? ""]?.body;
}
