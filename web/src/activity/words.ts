/** What people call the work that is done in the background. */
const WORK: Record<string, string> = {
  facts: "Reading what was said",
  keyframe: "Remembering a stretch of talk",
  think: "Thinking about what was said",
  closing: "Closing a conversation",
  analysis: "Analysing a conversation",
  summary: "Summing up",
  probe: "Trying out a model",
  title: "Finding a title",
  embed: "Indexing",
  reindex: "Indexing anew",
  digest: "Reading a session",
};

export const workName = (kind: string): string => WORK[kind] ?? kind.replaceAll("_", " ");

/** Why something did not become a memory. */
const REASONS: Record<string, string> = {
  conversation_action: "it says what was done in the conversation",
  assistant_fact: "the character said it, not you",
  prompt_leak: "it repeats instructions",
  demographic_guess: "it guesses who you are",
  unknown: "it says that something is unknown",
  not_about_user: "it is not about you",
  low_confidence: "too unsure",
  not_stated: "nobody stated it",
  ungrounded: "it rests on nothing that was said",
  wrong_person: "it is about somebody else",
  wrong_type: "of a kind that is not remembered here",
  over_the_cap: "enough was remembered of this stretch",
  quoted_back: "it repeats what was recalled",
  corrected: "it was corrected before",
  bad_shape: "the answer of the model could not be read",
  passing: "it holds only for the moment",
  unreliable_answer: "the answer of the model cannot be relied on",
  secret: "it holds a secret, such as a password",
  taken_back: "the model took it back when it was asked again",
};

export const reasonOf = (filter: string): string => REASONS[filter] ?? filter.replaceAll("_", " ");
