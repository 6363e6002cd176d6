/** How the page looks, kept in this browser: light, dark, or as the system wishes; and with more contrast. */
export type Theme = "system" | "light" | "dark";

const THEME = "everlore.theme";
const CONTRAST = "everlore.contrast";
const WISHED = matchMedia("(prefers-contrast: more)");

export class Appearance {
  theme = $state<Theme>(remembered());
  contrast = $state(localStorage.getItem(CONTRAST) === "more" || (!localStorage.getItem(CONTRAST) && WISHED.matches));

  constructor() {
    this.#apply();
  }

  wear(theme: Theme): void {
    this.theme = theme;
    localStorage.setItem(THEME, theme);
    this.#apply();
  }

  sharpen(contrast: boolean): void {
    this.contrast = contrast;
    localStorage.setItem(CONTRAST, contrast ? "more" : "usual");
    this.#apply();
  }

  #apply(): void {
    const root = document.documentElement;
    if (this.theme === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = this.theme;
    if (this.contrast) root.dataset["contrast"] = "more";
    else delete root.dataset["contrast"];
  }
}

function remembered(): Theme {
  const kept = localStorage.getItem(THEME);
  return kept === "light" || kept === "dark" ? kept : "system";
}
