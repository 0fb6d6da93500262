import type { Api } from '../../forge/index.js';

export interface Choice {
  readonly text: string;
  readonly value: string;
}

/** What a menu was asked: by whom, what they typed, and the repository it is about. */
export interface Asking {
  readonly api: Api;
  readonly typed: string;
  readonly repo: { readonly owner: string; readonly repo: string } | undefined;
  readonly webUrl: string;
}
