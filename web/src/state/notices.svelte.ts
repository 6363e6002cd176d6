/** Banners that the user closed: they stay closed in this tab until their cause ends. */
const KEY = "everlore.notices.closed";

export class Notices {
  #closed = $state.raw<ReadonlySet<string>>(new Set());

  constructor(readonly storage: Storage) {
    this.#closed = new Set((storage.getItem(KEY) ?? "").split("\n").filter(Boolean));
  }

  isOpen(notice: string): boolean {
    return !this.#closed.has(notice);
  }

  close(notice: string): void {
    this.#keep(new Set([...this.#closed, notice]));
  }

  /** The causes that exist now: a notice whose cause ended may open again when it returns. */
  renew(prefix: string, causes: string[]): void {
    const left = [...this.#closed].filter((each) => !each.startsWith(prefix) || causes.includes(each));
    if (left.length < this.#closed.size) this.#keep(new Set(left));
  }

  #keep(closed: ReadonlySet<string>): void {
    this.#closed = closed;
    this.storage.setItem(KEY, [...closed].join("\n"));
  }
}
