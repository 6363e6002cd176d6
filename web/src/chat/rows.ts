/** The messages of a chat as the rows of its log: a date above the first message of each day, removed messages folded. */
import type { Message } from "../api/types";
import { dayName } from "../text/times";
import { removedRun } from "./removed";

export interface LogRow {
  id: string;
  /** The date line above it. */
  day: string;
  message: Message;
  /** With this message begins a run that another app removed. */
  removed: Message[];
}

export function rowsOf(messages: readonly Message[], now = new Date()): LogRow[] {
  const rows: LogRow[] = [];
  let day = "";
  messages.forEach((message, index) => {
    const isInRun = message.withdrawn && messages[index - 1]?.withdrawn;
    if (isInRun) return;
    const date = new Date(message.created_at).toDateString();
    rows.push({
      id: message.id,
      day: date === day ? "" : dayName(message.created_at, now),
      message,
      removed: message.withdrawn ? removedRun(messages, index) : [],
    });
    day = date;
  });
  return rows;
}

/** The row that shows a message, or the run that it is folded into; -1 where none does. */
export function rowIndexOf(rows: readonly LogRow[], messageId: string): number {
  return rows.findIndex(({ id, removed }) => id === messageId || removed.some((each) => each.id === messageId));
}
