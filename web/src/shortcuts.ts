/** All keyboard shortcuts, also for the dialog. Keys without Ctrl or Alt are off in text fields. */
import type { App } from "./state/app.svelte";

export const KEYS: [keys: string, meaning: string][] = [
  ["Enter", "Send message"],
  ["Shift Enter", "New line"],
  ["↑ in an empty message", "Edit your last message"],
  ["← → in an empty message", "Switch between replies"],
  ["Esc", "Stop the reply"],
  ["Alt R", "Regenerate"],
  ["Alt Enter", "Continue the reply"],
  ["Alt P", "Show full prompt"],
  ["Alt I", "Chat details"],
  ["Ctrl K", "Search and commands"],
  ["Ctrl Shift O", "New chat"],
  ["Ctrl Shift S", "Show or hide chats"],
  ["J K in Review", "Next, previous"],
  ["A R M E X U in Review", "Approve, reject, merge, edit, select, undo"],
  ["/", "Go to the message field or the search"],
  ["?", "Keyboard shortcuts"],
];

export function shortcut(event: KeyboardEvent, app: App): void {
  if (event.defaultPrevented || app.sheet || app.question) return;
  const action = actionOf(event, app);
  if (!action) return;
  event.preventDefault();
  action();
}

function actionOf(event: KeyboardEvent, app: App): (() => void) | undefined {
  const { key, altKey, shiftKey } = event;
  const control = event.ctrlKey || event.metaKey;
  const thread = app.thread;
  const reply = thread?.lastReply;

  if (control && !shiftKey && !altKey && key.toLowerCase() === "k") return () => (app.sheet = { kind: "palette" });
  if (control && shiftKey && key.toLowerCase() === "o") return () => app.route.go("home");
  if (control && shiftKey && key.toLowerCase() === "s") return () => app.side.toggle("chats");
  if (thread?.writing && key === "Escape") return () => void thread.stop();
  if (app.side.covers && key === "Escape") return () => app.side.close();
  if (thread && app.inspector.tab && key === "Escape") return () => app.inspector.close();
  if (thread && altKey && !control && key.toLowerCase() === "p") return () => app.togglePrompt();
  if (thread && altKey && !control && key.toLowerCase() === "i") return () => app.side.toggle("context");
  if (thread && reply && !thread.writing && altKey && !control) {
    if (key.toLowerCase() === "r" && thread.canRegenerate(reply)) return () => void thread.regenerate(reply);
    if (key === "Enter" && thread.canRegenerate(reply)) return () => void thread.goOn(reply);
  }
  if (isTyping(event.target) || control || altKey) return undefined;
  if (key === "/") return () => document.querySelector<HTMLElement>("#composer, main [type=search]")?.focus();
  if (key === "?") return () => (app.sheet = { kind: "keys" });
  return undefined;
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
