import type { ItemRef } from '../../chat/references.js';
import { mergeStyles } from '../../config.js';

export type MergeStyle = (typeof mergeStyles)[number];

export const isStyle = (text: string | undefined): text is MergeStyle => mergeStyles.some((style) => style === text);

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
