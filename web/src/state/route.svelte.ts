/** Where one is, kept in the part of the address behind the #: `#/` or `#/chat/<id>`. */
export type Place = { page: "home" } | { page: "chat"; id: string };

export class Route {
  place = $state.raw<Place>(placeOf(location.hash));

  constructor() {
    addEventListener("hashchange", () => (this.place = placeOf(location.hash)));
  }

  go(place: Place): void {
    location.hash = addressOf(place);
  }
}

export function placeOf(hash: string): Place {
  const id = /^#\/chat\/([^/]+)$/.exec(hash)?.[1];
  return id ? { page: "chat", id: decodeURIComponent(id) } : { page: "home" };
}

export function addressOf(place: Place): string {
  return place.page === "chat" ? `#/chat/${encodeURIComponent(place.id)}` : "#/";
}
