/** Short messages at the edge of the page. An error repeats the server's sentence, and stays until it is closed. */
import { LOCKED, Problem } from "../api/problem";

export interface Toast {
  id: number;
  kind: "error" | "note";
  text: string;
}

const NOTE_MS = 4_000;

export class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  note(text: string): void {
    const id = this.#add("note", text);
    setTimeout(() => this.close(id), NOTE_MS);
  }

  error(text: string): void {
    if (!this.list.some((toast) => toast.text === text)) this.#add("error", text);
  }

  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
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

  #add(kind: Toast["kind"], text: string): number {
    const id = this.#next++;
    this.list.push({ id, kind, text });
    return id;
  }
}
