/** The rail and the panel next to it: what is open is kept in this browser. On a phone the panel covers the page. */
import { Width } from "./width.svelte";

export type Panel = "chats" | "context";

const KEY = "everlore.panel";
const RAIL_KEY = "everlore.rail";
export const PHONE = matchMedia("(max-width: 45rem)");
/** Wide enough for the labels of the rail beside a panel and the inspector. */
const WIDE = matchMedia("(min-width: 87.5rem)");

export class Side {
  readonly width = new Width("everlore.panel.width", 300, 220, 560);
  panel = $state<Panel | null>(PHONE.matches ? null : remembered());

  /** Whether the rail shows labels next to its icons. Until the user chooses, it does where there is room. */
  expanded = $state((localStorage.getItem(RAIL_KEY) ?? (WIDE.matches ? "expanded" : "")) === "expanded");

  toggle(panel: Panel): void {
    this.show(this.panel === panel ? null : panel);
  }

  close(): void {
    this.show(null);
  }

  toggleRail(): void {
    this.expanded = !this.expanded;
    localStorage.setItem(RAIL_KEY, this.expanded ? "expanded" : "");
  }

  /** Whether the panel lies over the page. */
  get covers(): boolean {
    return PHONE.matches && this.panel !== null;
  }

  /** Called when the user picks something in the panel. */
  chosen(): void {
    if (PHONE.matches) this.panel = null;
  }

  show(panel: Panel | null): void {
    this.panel = panel;
    if (!PHONE.matches) localStorage.setItem(KEY, panel ?? "");
  }
}

function remembered(): Panel | null {
  const kept = localStorage.getItem(KEY);
  return kept === "chats" || kept === "context" ? kept : null;
}
