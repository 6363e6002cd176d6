/**
 * What could be told of others in the open conversation, and what is told with the message being written.
 *
 * It is looked for when somebody stops typing, and when a reply has come. Something may slip out by itself; it can be
 * taken out again, and does not come back then.
 */
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import type { Hit } from "../api/types";
import { idIn, type Told } from "../chat/gossip/tokens";

const PAUSE_MS = 500;
/** The rolls at which something slipped out in this window, also if the conversation was opened anew since. */
const rolled = new Set<string>();

export class Gossip {
  items = $state.raw<Hit[]>([]);
  told = $state.raw<Told[]>([]);
  /** Counts what has slipped out, so that the page can show that something did. */
  slips = $state(0);

  #pause: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(
    readonly conversationId: string,
    readonly client: Client,
    told: Told[],
    /** Somebody could not keep something to themselves. */
    readonly onSlip: (personId: string) => void,
  ) {
    this.told = told;
  }

  /** Somebody types: it is looked for when they pause. */
  typed(words: string): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => void this.look(words), PAUSE_MS);
  }

  async look(words: string): Promise<void> {
    clearTimeout(this.#pause);
    if (!words.trim()) return;
    const number = ++this.#asked;
    try {
      const found = await this.client.gossip(this.conversationId, words);
      if (number !== this.#asked) return;
      this.items = found.items;
      if (found.roll && found.token) this.#slip(found.roll.id, found.roll.person_id, found.token);
    } catch (reason) {
      // A suggestion that fails is none; what is said does not depend on it.
      if (!(reason instanceof Problem)) throw reason;
      if (number === this.#asked) this.items = [];
    }
  }

  tell(item: Hit): void {
    if (!this.isTold(item.id)) this.told = [...this.told, { id: item.id, text: item.content }];
  }

  take(id: string): void {
    this.told = this.told.filter((each) => each.id !== id);
  }

  isTold(id: string): boolean {
    return this.told.some((each) => each.id === id);
  }

  /** The page is left, or gossip is switched off. */
  end(): void {
    clearTimeout(this.#pause);
    this.#asked++;
    this.items = [];
  }

  /** Once for each roll: whoever takes it out need not do so again. */
  #slip(rollId: string, personId: string, token: string): void {
    const id = idIn(token);
    if (!id || rolled.has(rollId)) return;
    rolled.add(rollId);
    const item = this.items.find((each) => each.id === id);
    this.told = [...this.told.filter((each) => each.id !== id), { id, text: item?.content ?? "" }];
    this.slips++;
    this.onSlip(personId);
  }
}
