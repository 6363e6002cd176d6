/** A text field as high as its text; the style sheet says how high at most. */
import type { Attachment } from "svelte/attachments";

export function autosize(text: () => string): Attachment<HTMLTextAreaElement> {
  return (field) => {
    text();
    field.style.height = "auto";
    // The border is not in the height of what scrolls.
    field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
  };
}
