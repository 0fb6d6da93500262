/** The kinds of personal messages people choose in their settings, and whether each is on by default. */
export const messageKinds = {
  review_requested: true,
  assigned: true,
  mentioned: true,
  replied: true,
  run_failed: true,
  broke_branch: false,
  activity: false,
} as const;
export type MessageKind = keyof typeof messageKinds;

const usual: Readonly<Record<string, boolean>> = messageKinds;

export const isWanted = (chosen: Readonly<Record<string, boolean>>, kind: string): boolean =>
  chosen[kind] ?? usual[kind] ?? false;
