/** The answer to the newest of several requests: late answers to older ones are dropped. */
import { Problem } from "../api/problem";

export class Latest<T> {
  answer = $state.raw<T | null>(null);
  waiting = $state(false);
  /** Why the newest question has no answer. */
  failure = $state.raw<Problem | null>(null);
  #asked = 0;

  async ask(work: () => Promise<T>): Promise<void> {
    const number = ++this.#asked;
    const isNewest = () => number === this.#asked;
    this.waiting = true;
    try {
      const answer = await work();
      if (isNewest()) this.#settle(answer, null);
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      if (isNewest()) this.#settle(null, reason);
    }
  }

  /** Whatever was asked before is not wanted any more. */
  forget(): void {
    this.#asked++;
    this.#settle(null, null);
  }

  #settle(answer: T | null, failure: Problem | null): void {
    this.answer = answer;
    this.failure = failure;
    this.waiting = false;
  }
}
