import type { Api } from '../../forge/index.js';

export interface Choice {
  readonly text: string;
  readonly value: string;
}

/** A menu's query: by whom, what they typed, and for which repository. */
export interface Asking {
  readonly api: Api;
  readonly typed: string;
  readonly repo: { readonly owner: string; readonly repo: string } | undefined;
  readonly webUrl: string;
}
