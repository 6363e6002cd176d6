/** Theme and contrast, saved in this browser. */
export type Theme = "system" | "light" | "dark";

const THEME = "everlore.theme";
const CONTRAST = "everlore.contrast";
const PREFERS_CONTRAST = matchMedia("(prefers-contrast: more)");

export class Appearance {
  theme = $state<Theme>(savedTheme());
  contrast = $state(localStorage.getItem(CONTRAST) === "more" || (!localStorage.getItem(CONTRAST) && PREFERS_CONTRAST.matches));

  constructor() {
    this.#apply();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    localStorage.setItem(THEME, theme);
    this.#apply();
  }

  setContrast(contrast: boolean): void {
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

function savedTheme(): Theme {
  const saved = localStorage.getItem(THEME);
  return saved === "light" || saved === "dark" ? saved : "system";
}
