/**
 * The live socket: what happens on the server, as it happens, and a new connection when one is lost.
 *
 * It only listens. After a gap `onBack` is told, because whatever was said meanwhile is not said again.
 */
import type { LiveEvent } from "./types";

export interface LiveListener {
  onEvent(event: LiveEvent): void;
  onBack(): void;
  /** The connection was lost; it is tried again by itself. */
  onLost(): void;
  /** From now on all is heard; what happened since the page was read is not. */
  onFirst(): void;
}

/** The kinds that this application shows; the rest is for others. */
const KINDS: LiveEvent["type"][] = [
  "message.delta",
  "message.done",
  "conversation.title",
  "conversation.icon",
  "conversation.state",
  "conversation.pinned",
  "conversation.deleted",
  "memory.created",
  "memory.updated",
  "memory.deleted",
  "job.started",
  "job.finished",
  "job.failed",
];
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** Doubles with each failure, and is spread out, so that many tabs do not come back in the same moment. */
export function waitMs(failures: number, random: number): number {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
  return longest * (0.5 + random / 2);
}

export class Live {
  #socket: WebSocket | null = null;
  #failures = 0;
  #again: ReturnType<typeof setTimeout> | undefined;
  #lost = false;

  constructor(
    readonly listener: LiveListener,
    readonly address: string,
  ) {}

  open(): void {
    this.#stopWaiting();
    const socket = (this.#socket = new WebSocket(this.address));
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => this.#heard(JSON.parse(String(data)) as LiveEvent);
    socket.onclose = () => this.#closed(socket);
  }

  /** Somebody is here again: what waits for its next attempt makes it now. */
  hurry(): void {
    if (this.#again !== undefined) this.open();
  }

  close(): void {
    this.#stopWaiting();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #stopWaiting(): void {
    clearTimeout(this.#again);
    this.#again = undefined;
  }

  #opened(): void {
    this.#failures = 0;
    if (this.#lost) this.listener.onBack();
    else this.listener.onFirst();
    this.#lost = false;
  }

  #heard(event: LiveEvent): void {
    if (KINDS.includes(event.type)) this.listener.onEvent(event);
  }

  #closed(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#lost = true;
    this.listener.onLost();
    this.#again = setTimeout(() => this.open(), waitMs(this.#failures, Math.random()));
    this.#failures += 1;
  }
}

export function liveAddress(page: Location): string {
  return `${page.protocol === "https:" ? "wss" : "ws"}://${page.host}/api/live`;
}
