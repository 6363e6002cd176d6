/** Short messages. Each leaves after a while, errors also with the page they belong to. */
import { LOCKED, Problem } from "../api/problem";

export interface Toast {
  id: number;
  kind: "error" | "note" | "learnt";
  text: string;
  /** A button in it. */
  action?: { label: string; run: () => unknown };
  /** A link. */
  href?: string;
  /** Runs when it goes without its action being taken. */
  settle?: () => unknown;
}

const NOTE_MS = 4_000;
const UNDO_MS = 8_000;
const MOST_LEARNT = 2;
const ERROR_MS = 15_000;
/** How often a message that is held looks whether it may go. */
const HELD_MS = 1_000;

export class Toasts {
  list = $state.raw<Toast[]>([]);
  /** The pointer or the focus is on them: none leaves. */
  held = false;
  #next = 1;

  note(text: string): void {
    this.#leave(this.#add("note", text), NOTE_MS);
  }

  /** Something that can be undone for a moment. `settle` runs if it is not. */
  undoable(text: string, undo: () => unknown, settle?: () => unknown): void {
    // Only the last action can be undone; the ones before it are settled.
    for (const { id, action } of this.list.filter(({ kind }) => kind === "note")) if (action) this.close(id);
    this.#leave(this.#add("note", text, { action: { label: "Undo", run: undo }, settle }), UNDO_MS);
  }

  /** Undoes the last action that can be undone. */
  undo(): void {
    const last = this.list.findLast(({ kind, action }) => kind === "note" && action);
    if (last) this.take(last.id);
  }

  /** A new memory. Only the newest few are shown, and none twice. */
  learnt(text: string, more: Pick<Toast, "href" | "action">): void {
    const shown = this.list.filter((each) => each.kind === "learnt" && each.text !== text).slice(1 - MOST_LEARNT);
    this.list = this.list.filter((each) => each.kind !== "learnt" || shown.includes(each));
    this.#leave(this.#add("learnt", text, more), UNDO_MS);
  }

  /** Runs the action of a toast. */
  take(id: number): void {
    const toast = this.list.find((each) => each.id === id);
    this.list = this.list.filter((each) => each.id !== id);
    toast?.action?.run();
  }

  error(text: string): void {
    if (!this.list.some((toast) => toast.text === text)) this.#leave(this.#add("error", text), ERROR_MS);
  }

  /** Another page opens: errors of the old one go. */
  leavePage(): void {
    this.list = this.list.filter(({ kind }) => kind !== "error");
  }

  close(id: number): void {
    const toast = this.list.find((each) => each.id === id);
    this.list = this.list.filter((each) => each.id !== id);
    toast?.settle?.();
  }

  /** The cause of this message is gone. */
  withdraw(text: string): void {
    this.list = this.list.filter((toast) => toast.text !== text);
  }

  /**
   * Runs something that may fail; shows a problem and returns undefined then. Bugs go to the console.
   *
   * `onMissing` is called when the server answers 404: it was deleted elsewhere.
   */
  async trying<T>(work: () => Promise<T>, onMissing?: () => unknown): Promise<T | undefined> {
    try {
      return await work();
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      // The sign-in dialog is shown instead.
      if (reason.status !== LOCKED) this.error(reason.message);
      if (reason.status === 404) onMissing?.();
      return undefined;
    }
  }

  /** Closes it after a while, or when it is no longer held. */
  #leave(id: number, ms: number): void {
    setTimeout(() => (this.held ? this.#leave(id, HELD_MS) : this.close(id)), ms);
  }

  #add(kind: Toast["kind"], text: string, more: Partial<Toast> = {}): number {
    const id = this.#next++;
    this.list = [...this.list, { id, kind, text, ...more }];
    return id;
  }
}
