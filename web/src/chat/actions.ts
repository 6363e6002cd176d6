/** What can be done with a chat as a whole, for its header and for its row in the list. */
import { conversationFile } from "../api/client";
import type { Conversation, Resting } from "../api/types";
import type { Choice } from "../look/Menu.svelte";
import type { App } from "../state/app.svelte";
import { titleOf } from "../state/chats.svelte";
import { counted } from "../text/numbers";

/** The entries that both menus share; `rename` begins to edit the title in place. */
export function chatChoices(app: App, conversation: Conversation, rename: () => void): Choice[] {
  const { id, pinned, state } = conversation;
  const { chats } = app;
  return [
    { icon: "edit", label: "Rename", choose: rename },
    pinned
      ? { icon: "keep_off", label: "Unpin", choose: () => chats.change(id, { pinned: false }) }
      : { icon: "keep", label: "Pin", choose: () => chats.change(id, { pinned: true }) },
    state === "open"
      ? { icon: "task_alt", label: "Close", choose: () => setState(app, conversation, "closed", "Chat closed") }
      : { icon: "resume", label: "Reopen", choose: () => chats.change(id, { state: "open" }) },
    ...(state === "archived"
      ? []
      : [{ icon: "archive", label: "Archive", choose: () => setState(app, conversation, "archived", "Chat archived") } as const]),
    { icon: "download", label: "Export as JSONL", href: conversationFile(id) },
    { icon: "delete", label: "Delete", danger: true, choose: () => deleteChat(app, conversation) },
  ];
}

/** Closes or archives a chat, with undo. */
async function setState(app: App, { id, state: before }: Conversation, state: Conversation["state"], note: string): Promise<void> {
  if (await app.chats.change(id, { state })) app.toasts.undoable(note, () => app.chats.change(id, { state: before }));
}

/** Asks first, and says what goes with it. */
export async function deleteChat(app: App, conversation: Conversation): Promise<void> {
  const { id, message_count } = conversation;
  const resting = await app.chats.resting(id);
  if (!resting) return;
  const text = `“${titleOf(conversation)}” and its ${counted(message_count, "message")} will be deleted permanently.${alsoDeleted(resting)}`;
  const option = resting.memories ? "Keep the memories from this chat" : undefined;
  const keepMemories = await app.choose({ title: "Delete this chat?", text, action: "Delete", option });
  if (keepMemories === null) return;
  const isOpen = app.thread?.id === id;
  if ((await app.chats.remove(id, keepMemories)) && isOpen) app.route.go("home");
}

function alsoDeleted({ memories, by_hand }: Resting): string {
  if (!memories) return "";
  const edited = by_hand ? ` (${by_hand} added or edited by you)` : "";
  return ` So will ${counted(memories, "memory", "memories")} learned only from it${edited}.`;
}
