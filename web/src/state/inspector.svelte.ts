/** The inspector beside the chat: closed, or open at one of its tabs. */
import { PHONE } from "./side.svelte";
import { Width } from "./width.svelte";

export type Tab = "reply" | "knows" | "prompt";

/** Of which turn the prompt is shown: of the last reply, of a certain one, or of what is being written. */
export type Look = { of: "last" } | { of: "reply"; messageId: string } | { of: "draft" };

export class Inspector {
  readonly width = new Width("everlore.inspector.width", 360, 300, 720);
  tab = $state<Tab | null>(null);
  look = $state.raw<Look>({ of: "last" });

  show(tab: Tab, look?: Look): void {
    this.tab = tab;
    if (look) this.look = look;
  }

  /** Shows it, or puts it away if it is what is shown. */
  toggle(tab: Tab, look?: Look): void {
    if (this.tab === tab) this.close();
    else this.show(tab, look);
  }

  close(): void {
    this.tab = null;
  }

  /** Another conversation has other replies. On a phone it would cover them. */
  left(): void {
    if (PHONE.matches) this.close();
    if (this.look.of === "reply") this.look = { of: "last" };
  }
}
