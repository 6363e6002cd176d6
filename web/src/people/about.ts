/** A short description: the first part of the card that is not empty. */
import type { Character } from "../api/types";

export function aboutOf({ name, description_public, personality, description, scenario }: Character): string {
  return (description_public || personality || description || scenario)
    .replaceAll("{{char}}", name)
    .replaceAll("{{user}}", "you");
}
