/** Gives the focus back to where it was, unless it has gone elsewhere meanwhile. */
export function focusAgain(element: Element | null): void {
  if (document.activeElement === document.body && element instanceof HTMLElement) element.focus();
}

/** For a field that appears because somebody wishes to write in it. */
export function focused(field: HTMLElement): void {
  field.focus();
}

const TAKES_FOCUS = "a[href], button:not(:disabled), [tabindex='0']";

/**
 * Keeps the keyboard focus in place: when the focused element is removed, the next element gets the focus, else the one
 * before it, else the page. A button that was disabled for a while gets it back. Returns a function that stops this.
 */
export function keepFocus(): () => void {
  let trail: [element: Element, place: number][] = [];
  const entered = ({ target }: FocusEvent) => (trail = target instanceof Element ? trailOf(target) : []);
  let disabled: Element | null = null;
  const changes = new MutationObserver(() => {
    const last = trail[0]?.[0];
    if (document.activeElement !== document.body || !last) return;
    if (last.isConnected) {
      const isBack = disabled === last && !last.matches(":disabled");
      disabled = last.matches(":disabled") ? last : null;
      if (isBack) (last as HTMLElement).focus({ preventScroll: true });
      return;
    }
    const gone = trail.findLastIndex(([element]) => !element.isConnected);
    const [parent, place] = [trail[gone + 1]?.[0], trail[gone]?.[1] ?? 0];
    const near = parent?.closest("#main *") ? [parent.children[place], parent.children[place - 1]] : [];
    trail = [];
    const next = near.map((each) => (each?.matches(TAKES_FOCUS) ? each : each?.querySelector(TAKES_FOCUS))).find(Boolean);
    ((next as HTMLElement | undefined) ?? document.getElementById("main"))?.focus({ preventScroll: true });
  });
  addEventListener("focusin", entered);
  changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  return () => (changes.disconnect(), removeEventListener("focusin", entered));
}

/** The element and its ancestors, each with its index among its siblings. */
function trailOf(element: Element): [Element, number][] {
  const found: [Element, number][] = [];
  for (let each: Element | null = element; each && each !== document.body; each = each.parentElement)
    found.push([each, [...(each.parentElement?.children ?? [])].indexOf(each)]);
  return found;
}
