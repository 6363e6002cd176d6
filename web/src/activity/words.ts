/** Labels for background work and filter reasons. */
import { worded } from "../memories/kinds";

const WORK: Record<string, string> = {
  facts: "Learning from a message",
  keyframe: "Saving memories of a chat",
  think: "Character is thinking",
  closing: "Closing a chat",
  analysis: "Analyzing a chat",
  summary: "Summarizing",
  probe: "Testing a model",
  title: "Choosing a title",
  embed: "Indexing",
  reindex: "Rebuilding the index",
  digest: "Reading a campaign session",
};

export const workName = (kind: string): string => WORK[kind] ?? worded(kind);

/** Why a fact was not saved as a memory. */
const REASONS: Record<string, string> = {
  conversation_action: "Describes the chat itself",
  assistant_fact: "Said by the character, not by you",
  prompt_leak: "Repeats instructions",
  demographic_guess: "Guesses personal details",
  unknown: "Says that something is unknown",
  not_about_user: "Not about you",
  low_confidence: "Low confidence",
  not_stated: "Not stated in the chat",
  ungrounded: "No evidence in the chat",
  wrong_person: "About someone else",
  wrong_type: "This type is not saved here",
  over_the_cap: "Limit reached for this part of the chat",
  quoted_back: "Repeats an existing memory",
  corrected: "Corrected before",
  bad_shape: "The model’s answer could not be read",
  passing: "True only for the moment",
  unreliable_answer: "The model’s answer is not reliable",
  secret: "Contains a secret, such as a password",
  taken_back: "The model withdrew it when asked again",
};

export const reasonOf = (filter: string): string => REASONS[filter] ?? worded(filter);
