/** Gives the focus back to where it was, unless it has gone elsewhere meanwhile. */
export function focusAgain(element: Element | null): void {
  if (document.activeElement === document.body && element instanceof HTMLElement) element.focus();
}

/** For a field that appears because somebody wishes to write in it. */
export function focused(field: HTMLElement): void {
  field.focus();
}
