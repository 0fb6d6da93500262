import type { ItemRef } from '../../chat/references.js';

export const styles = ['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only'] as const;
export type MergeStyle = (typeof styles)[number];

export const isStyle = (text: string | undefined): text is MergeStyle => styles.some((style) => style === text);

export interface Merging {
  readonly pull: ItemRef;
  readonly style?: MergeStyle | undefined;
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  readonly deleteBranch?: boolean | undefined;
  readonly whenChecksSucceed?: boolean | undefined;
  readonly head?: string | undefined;
  /** Merge despite warnings. */
  readonly yes?: boolean | undefined;
}
