/** Short messages at the edge of the page. An error repeats the server's sentence, and stays until it is closed. */
import { LOCKED, Problem } from "../api/problem";

export interface Toast {
  id: number;
  kind: "error" | "note" | "learnt";
  text: string;
  /** What can be done about it while it is shown. */
  action?: { label: string; run: () => unknown };
  /** Where it leads. */
  href?: string;
  /** What is done when it goes and nothing was done about it. */
  settle?: () => unknown;
}

const NOTE_MS = 4_000;
const UNDO_MS = 8_000;

export class Toasts {
  list = $state.raw<Toast[]>([]);
  #next = 1;

  note(text: string): void {
    const id = this.#add("note", text);
    setTimeout(() => this.close(id), NOTE_MS);
  }

  /** Something was done that can be taken back for a moment. `settle`: what follows if it is not. */
  undoable(text: string, undo: () => unknown, settle?: () => unknown): void {
    // One can take back the last thing; what was done before it is settled with it.
    for (const { id, action } of this.list.filter(({ kind }) => kind === "note")) if (action) this.close(id);
    const id = this.#add("note", text, { action: { label: "Undo", run: undo }, settle });
    setTimeout(() => this.close(id), UNDO_MS);
  }

  /** Takes back the last thing that can be. */
  undo(): void {
    const last = this.list.findLast(({ kind, action }) => kind === "note" && action);
    if (last) this.take(last.id);
  }

  /** At most one at a time: a newer one takes its place. */
  learnt(text: string, href: string, undo: () => unknown): void {
    this.list = this.list.filter(({ kind }) => kind !== "learnt");
    const id = this.#add("learnt", text, { action: { label: "Undo", run: undo }, href });
    setTimeout(() => this.close(id), UNDO_MS);
  }

  /** Does what the toast offers. */
  take(id: number): void {
    const toast = this.list.find((each) => each.id === id);
    this.list = this.list.filter((each) => each.id !== id);
    toast?.action?.run();
  }

  error(text: string): void {
    if (!this.list.some((toast) => toast.text === text)) this.#add("error", text);
  }

  close(id: number): void {
    const toast = this.list.find((each) => each.id === id);
    this.list = this.list.filter((each) => each.id !== id);
    toast?.settle?.();
  }

  /** What is no longer so. */
  withdraw(text: string): void {
    this.list = this.list.filter((toast) => toast.text !== text);
  }

  /**
   * Runs something that may fail; tells of a problem and gives undefined then. Bugs go on to the console.
   *
   * `onMissing` is told when the server does not know what it was asked for: it was deleted elsewhere.
   */
  async trying<T>(work: () => Promise<T>, onMissing?: () => unknown): Promise<T | undefined> {
    try {
      return await work();
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      // Whoever has to log in first is asked to, and need not be told so for each request.
      if (reason.status !== LOCKED) this.error(reason.message);
      if (reason.status === 404) onMissing?.();
      return undefined;
    }
  }

  #add(kind: Toast["kind"], text: string, more: Partial<Toast> = {}): number {
    const id = this.#next++;
    this.list = [...this.list, { id, kind, text, ...more }];
    return id;
  }
}
