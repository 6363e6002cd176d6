/** What an event means for a list of memories: the list after it, and by how much there are more. */
import type { Memory, MemoryEvent } from "../api/types";

export interface Patched {
  list: Memory[];
  by: -1 | 0 | 1;
}

/** `isWhole`: the list has all that there are, and not only the latest. */
export function patched(
  list: Memory[],
  event: MemoryEvent,
  fits: (memory: Memory) => boolean,
  isWhole = true,
): Patched {
  const at = list.findIndex(({ id }) => id === event.memory_id);
  const memory = event.type === "memory.deleted" ? null : event.memory;
  if (!memory || !fits(memory)) return at < 0 ? { list, by: 0 } : { list: list.toSpliced(at, 1), by: -1 };
  if (at >= 0) return isOlder(memory, list[at]!) ? { list, by: 0 } : { list: list.with(at, memory), by: 0 };
  // In its place, for it may have been taken back; what is older than all that was read comes with the next page.
  const before = list.findIndex((each) => each.created_at <= memory.created_at);
  if (before < 0 && !isWhole) return { list, by: 1 };
  return { list: list.toSpliced(before < 0 ? list.length : before, 0, memory), by: 1 };
}

/** The answer to a request and the event that tells of it may come in either order. */
function isOlder(memory: Memory, known: Memory): boolean {
  return memory.revision < known.revision;
}
