/** Adds a copy button and syntax highlighting to the code blocks of a rendered message. */
import { mount, unmount } from "svelte";
import CopyCode from "./CopyCode.svelte";

const LANGUAGE = /^language-(.+)$/;
/** Larger blocks are shown as they are: highlighting them would take too long. */
const MOST_CHARS = 50_000;

export function decorateCode(root: HTMLElement): () => void {
  const blocks = [...root.querySelectorAll<HTMLElement>("pre > code")];
  const buttons = blocks.map((code) => {
    const source = code.textContent ?? "";
    void highlight(code, source);
    // What scrolls must be reachable with the keyboard.
    if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
    return mount(CopyCode, { target: code.parentElement!, props: { text: () => source } });
  });
  return () => buttons.forEach((button) => void unmount(button));
}

async function highlight(code: HTMLElement, source: string): Promise<void> {
  const language = LANGUAGE.exec(code.className)?.[1];
  if (!language || source.length > MOST_CHARS) return;
  const { highlighted } = await import("../text/highlight");
  const html = highlighted(source, language);
  // The message may have changed meanwhile.
  if (html !== null && code.isConnected) code.innerHTML = html;
}
