/** The panel beside the rail: which one is open, remembered in this browser. On a phone it lies over the page. */
import { Width } from "./width.svelte";

export type Panel = "chats" | "context";

const KEY = "everlore.panel";
const PHONE = matchMedia("(max-width: 45rem)");

export class Side {
  readonly width = new Width("everlore.panel.width", 300, 220, 560);
  panel = $state<Panel | null>(PHONE.matches ? null : remembered());

  toggle(panel: Panel): void {
    this.#show(this.panel === panel ? null : panel);
  }

  close(): void {
    this.#show(null);
  }

  /** After something was chosen in it. */
  chosen(): void {
    if (PHONE.matches) this.panel = null;
  }

  #show(panel: Panel | null): void {
    this.panel = panel;
    if (!PHONE.matches) localStorage.setItem(KEY, panel ?? "");
  }
}

function remembered(): Panel | null {
  const kept = localStorage.getItem(KEY);
  return kept === "chats" || kept === "context" ? kept : null;
}
