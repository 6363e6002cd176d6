/**
 * Every place of the application: its address, its component, and its entry in the rail.
 *
 * A place is a folder with a component that takes a `Place`; it loads when it is first opened. A new place is a line in
 * `PLACES` and one in `RAIL` or `SIBLINGS`.
 */
import type { Component } from "svelte";
import type { InterfaceIcon } from "./look/interface-icons";
import type { App, Sheet } from "./state/app.svelte";
import type { Panel } from "./state/side.svelte";

/** The current page, the parameters of its path, and its query. */
export interface Place {
  page: Page;
  params: Record<string, string>;
  query: URLSearchParams;
}

interface PlaceEntry {
  /** Links use the first path that fits. `:name` is a parameter of the component. */
  paths: [string, ...string[]];
  /** The title of the window, unless the component sets its own. */
  title: string;
  /** The place of the rail that it belongs to. */
  under?: string;
  load: () => Promise<{ default: Component<{ place: Place }> | Component<Record<string, never>> }>;
}

/** What an entry of the rail opens. */
export type Target = { place: Page } | { panel: Panel } | { sheet: NonNullable<Sheet> };

export interface RailEntry {
  icon: InterfaceIcon;
  label: string;
  opens: Target;
  /** Number in the badge. */
  count?: (app: App) => number;
  /** At the bottom of the rail. */
  foot?: boolean;
  /** Only while a chat is open. */
  ofChat?: boolean;
}

export const PLACES = {
  home: { paths: ["/", "", "/home"], title: "", load: () => import("./home/Home.svelte") },
  chat: { paths: ["/c/:id", "/chat/:id"], title: "Chat", load: () => import("./chat/Conversation.svelte") },
  people: { paths: ["/people"], title: "People", load: () => import("./people/People.svelte") },
  campaigns: {
    paths: ["/campaigns", "/campaigns/:id", "/campaigns/:id/:part", "/campaigns/:id/:part/:item"],
    title: "Campaigns",
    load: () => import("./campaigns/Campaigns.svelte"),
  },
  person: { paths: ["/people/:id"], title: "Person", under: "people", load: () => import("./people/Person.svelte") },
  memories: { paths: ["/memories"], title: "Memories", load: () => import("./memories/Memories.svelte") },
  memory: { paths: ["/m/:id"], title: "Memory", under: "memories", load: () => import("./memories/MemoryView.svelte") },
  knowing: {
    paths: ["/knowing"],
    title: "Who knows what",
    under: "memories",
    load: () => import("./knowing/Knowing.svelte"),
  },
  graph: {
    paths: ["/graph", "/relationships"],
    title: "Relationships",
    under: "people",
    load: () => import("./ties/Ties.svelte"),
  },
  timeline: {
    paths: ["/timeline"],
    title: "Timeline",
    under: "people",
    load: () => import("./happened/Timeline.svelte"),
  },
  review: { paths: ["/review"], title: "Review", load: () => import("./review/Review.svelte") },
  activity: { paths: ["/activity"], title: "Activity", load: () => import("./activity/Activity.svelte") },
  settings: {
    paths: ["/settings", "/settings/:part"],
    title: "Settings",
    load: () => import("./settings/Settings.svelte"),
  },
  missing: { paths: ["/not-found"], title: "Page not found", load: () => import("./frame/Missing.svelte") },
} satisfies Record<string, PlaceEntry>;

export type Page = keyof typeof PLACES;

export const PALETTE: Target = { sheet: { kind: "palette" } };

export const RAIL: RailEntry[] = [
  { icon: "home", label: "Home", opens: { place: "home" } },
  { icon: "list", label: "Chats", opens: { panel: "chats" } },
  { icon: "psychology", label: "Memories", opens: { place: "memories" } },
  { icon: "rate_review", label: "Review", opens: { place: "review" }, count: ({ review }) => review.cases.length },
  { icon: "group", label: "People", opens: { place: "people" } },
  { icon: "map", label: "Campaigns", opens: { place: "campaigns" } },
  { icon: "search", label: "Search and commands", opens: PALETTE, foot: true },
  { icon: "link", label: "This chat", opens: { panel: "context" }, foot: true, ofChat: true },
  { icon: "monitoring", label: "Activity", opens: { place: "activity" }, foot: true },
  { icon: "article", label: "Templates", opens: { sheet: { kind: "templates" } }, foot: true },
  { icon: "settings", label: "Settings", opens: { place: "settings" }, foot: true },
  { icon: "keyboard", label: "Keyboard shortcuts", opens: { sheet: { kind: "keys" } }, foot: true },
];

/** Places that share tabs; only the first of each is in the rail. */
export const SIBLINGS: Page[][] = [
  ["memories", "knowing"],
  ["people", "graph", "timeline"],
];

export const entryOf = (page: Page): PlaceEntry => PLACES[page];

/** The place at this address; an unknown one says that there is no such page. */
export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  for (const page of Object.keys(PLACES) as Page[]) {
    for (const pattern of entryOf(page).paths) {
      const params = matched(pattern, path);
      if (params) return { page, params, query: new URLSearchParams(query) };
    }
  }
  return { page: "missing", params: {}, query: new URLSearchParams() };
}

/** The path is the one that says most of what is given; what is empty is left out of the query. */
export function addressOf(page: Page, params: Record<string, string> = {}, query: Record<string, string> = {}): string {
  const path = fitting(entryOf(page).paths, params).replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `#${path}${asked && `?${asked}`}`;
}

/** Of several paths that say as much, the first. */
function fitting(paths: PlaceEntry["paths"], params: Record<string, string>): string {
  const names = (path: string) => path.split("/").filter((part) => part.startsWith(":"));
  const whole = paths.filter((path) => names(path).every((name) => params[name.slice(1)]));
  return whole.toSorted((a, b) => names(b).length - names(a).length)[0] ?? paths[0];
}

function matched(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? "";
    if (!part.startsWith(":")) {
      if (part !== value) return null;
    } else if (value) params[part.slice(1)] = decoded(value);
    else return null;
  }
  return params;
}

/** An address may be typed by hand, and be wrong. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch (reason) {
    if (reason instanceof URIError) return value;
    throw reason;
  }
}
