/** Where one is, kept in the part of the address behind the #, so that reload, back and a sent link land there. */
import { addressOf, type Page, type Place, placeOf } from "../places";

export class Route {
  place = $state.raw<Place>(placeOf(location.hash));

  constructor() {
    addEventListener("hashchange", () => (this.place = placeOf(location.hash)));
  }

  go(page: Page, params?: Record<string, string>, query?: Record<string, string>): void {
    location.hash = addressOf(page, params, query);
  }

  /** Another question of the same place. The way back leads to where one came from, not through each of them. */
  ask(query: Record<string, string>): void {
    const { page, params } = this.place;
    history.replaceState(history.state, "", addressOf(page, params, query));
    this.place = placeOf(location.hash);
  }
}
