/** The timeline, loaded from two paged lists and kept up to date by live events. */
import type { Client, Page } from "../api/client";
import { Problem } from "../api/problem";
import { isOfChat, isOfJob, type LiveEvent } from "../api/types";
import * as api from "../api/whole";
import type { Toasts } from "../state/toasts.svelte";
import { type Entry, eventQuery, type Filter, fits, interactionQuery, ofEvent, ofInteraction, put, together } from "./entries";

interface Stream {
  entries: Entry[];
  next: string | null;
}

type Read = (cursor?: string) => Promise<Stream>;

export class Timeline {
  loaded = $state(false);
  reading = $state(false);
  failure = $state.raw<Problem | null>(null);
  #streams = $state.raw<Stream[]>([]);
  readonly entries = $derived(together(this.#streams.map(({ entries, next }) => ({ entries, goesOn: next !== null }))));
  readonly goesOn = $derived(this.#streams.some(({ next }) => next !== null));

  #filter: Filter | null = null;
  #reads: Read[] = [];
  #asked = 0;

  constructor(
    readonly client: Client,
    readonly toasts: Toasts,
  ) {}

  async load(filter: Filter): Promise<void> {
    this.#filter = filter;
    this.#reads = readsOf(filter);
    this.loaded = false;
    await this.#try(() => Promise.all(this.#reads.map((read) => read())));
  }

  /** Loads older entries. */
  async more(): Promise<void> {
    if (this.reading) return;
    const [streams, reads] = [this.#streams, this.#reads];
    await this.#try(() => Promise.all(streams.map((stream, at) => further(stream, reads[at]!))));
  }

  /** After news from a chat, only that chat is looked up again. */
  async hear(event: LiveEvent): Promise<void> {
    const isNews = (isOfChat(event) && event.type !== "message.delta") || event.type === "job.finished";
    if (!isNews || !(isOfChat(event) || isOfJob(event)) || !event.conversation_id) return;
    const id = event.conversation_id;
    const found = await this.toasts.trying(() => Promise.all([this.client.eventOf(id), this.client.interactionsIn(id)]));
    if (!found) return;
    const [talk, passed] = found;
    this.#hold([...(talk ? [ofEvent(talk)] : []), ...passed.map(ofInteraction)]);
  }

  #hold(news: Entry[]): void {
    const filter = this.#filter;
    if (!filter || !this.loaded) return;
    const wanted = [eventQuery(filter), interactionQuery(filter)];
    const kinds = wanted.flatMap((query, at) => (query ? [at === 1] : []));
    this.#streams = this.#streams.map(({ entries, next }, at) => ({
      entries: news
        .filter((entry) => (entry.kind === "interaction") === kinds[at] && fits(entry, filter))
        .reduce(put, entries),
      next,
    }));
  }

  async #try(work: () => Promise<Stream[]>): Promise<void> {
    const number = ++this.#asked;
    this.reading = true;
    try {
      const streams = await work();
      if (number !== this.#asked) return;
      this.#streams = streams;
      this.failure = null;
      this.loaded = true;
    } catch (reason) {
      if (!(reason instanceof Problem)) throw reason;
      if (number === this.#asked) this.failure = reason;
    } finally {
      if (number === this.#asked) this.reading = false;
    }
  }
}

/** Events first, if the filter includes them. */
function readsOf(filter: Filter): Read[] {
  const [events, interactions] = [eventQuery(filter), interactionQuery(filter)];
  return [
    ...(events ? [async (cursor?: string) => streamOf(await api.events(events, cursor), ofEvent)] : []),
    ...(interactions
      ? [async (cursor?: string) => streamOf(await api.interactions(interactions, cursor), ofInteraction)]
      : []),
  ];
}

function streamOf<T>({ items, next }: Page<T>, entryOf: (item: T) => Entry): Stream {
  return { entries: items.map(entryOf), next };
}

async function further(stream: Stream, read: Read): Promise<Stream> {
  if (stream.next === null) return stream;
  const { entries, next } = await read(stream.next);
  const known = new Set(stream.entries.map(({ id }) => id));
  return { entries: [...stream.entries, ...entries.filter(({ id }) => !known.has(id))], next };
}
