/**
 * Rewrites the HTML tags inside a text: known ones with known attributes, all others as the text they were typed as.
 *
 * This is not what keeps a page safe; the sanitising behind it does. But a browser that parses hostile HTML, even to
 * sanitise it, complains about each handler and style that its policy forbids, so they must not reach the parser.
 */
export interface Tag {
  name: string;
  closing: boolean;
  attributes: Record<string, string>;
}

const VALUE = `"[^"]*"|'[^']*'|[^\\s"'=<>\`]+`;
const TAG = new RegExp(`<(/?)([a-z][\\w-]*)((?:\\s+[\\w:-]+(?:\\s*=\\s*(?:${VALUE}))?)*)\\s*/?>`, "gi");
const ATTRIBUTE = new RegExp(`([\\w:-]+)(?:\\s*=\\s*(${VALUE}))?`, "g");
const COMMENT = /<!--[^]*?(?:-->|$)/g;

/** `written` gives the HTML for a tag, or null if it means nothing here. */
export function rewriteTags(html: string, written: (tag: Tag) => string | null): string {
  const text = html.replace(COMMENT, "");
  let result = "";
  let at = 0;
  for (const match of text.matchAll(TAG)) {
    const [all, slash = "", name = "", attributes = ""] = match;
    const tag = { name: name.toLowerCase(), closing: slash === "/", attributes: read(attributes) };
    result += asText(text.slice(at, match.index)) + (written(tag) ?? asText(all));
    at = match.index + all.length;
  }
  return result + asText(text.slice(at));
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** What stands between tags may hold entities, which stay; but nothing in it begins a tag. */
function asText(html: string): string {
  return html.replaceAll("<", "&lt;");
}

function read(attributes: string): Record<string, string> {
  const pairs = [...attributes.matchAll(ATTRIBUTE)].map(([, name = "", value = ""]) => [
    name.toLowerCase(),
    value.replace(/^(["'])([^]*)\1$/, "$2"),
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}
