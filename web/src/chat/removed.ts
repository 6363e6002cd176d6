import type { Message } from "../api/types";

/** The messages from this one on that another app removed, up to the next that is part of the talk. */
export function removedRun(messages: readonly Message[], start: number): Message[] {
  const end = messages.findIndex(({ withdrawn }, index) => index >= start && !withdrawn);
  return messages.slice(start, end === -1 ? undefined : end);
}
