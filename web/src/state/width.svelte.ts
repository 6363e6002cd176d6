/** How wide a panel is, as somebody drew it; kept in this browser. */
export class Width {
  px = $state(0);

  constructor(
    readonly key: string,
    readonly normal: number,
    readonly least: number,
    readonly most: number,
  ) {
    this.px = this.#within(Number(localStorage.getItem(key)) || normal);
  }

  draw(px: number): void {
    this.px = this.#within(px);
    localStorage.setItem(this.key, String(this.px));
  }

  #within(px: number): number {
    return Math.round(Math.min(Math.max(px, this.least), this.most));
  }
}
