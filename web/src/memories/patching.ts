/** Applies a live event to a list of memories: the new list, and by how much the total changes. */
import type { Memory, MemoryEvent } from "../api/types";

export interface Patched {
  list: Memory[];
  by: -1 | 0 | 1;
}

/** `isWhole`: the list has every memory, not only the newest pages. */
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
  // Keep the order, because it may have been restored; one older than all loaded pages comes with the next page.
  const before = list.findIndex((each) => each.created_at <= memory.created_at);
  if (before < 0 && !isWhole) return { list, by: 1 };
  return { list: list.toSpliced(before < 0 ? list.length : before, 0, memory), by: 1 };
}

/** The response to a request and its live event may arrive in either order. */
function isOlder(memory: Memory, known: Memory): boolean {
  return memory.revision < known.revision;
}
