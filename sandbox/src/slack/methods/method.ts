import type { Args } from '../args.js';
import type { Core } from '../core.js';
import type { Obj } from '../json.js';
import type { Tier } from '../rate.js';
import type { Token } from '../tokens.js';

export interface MethodCall {
  core: Core;
  args: Args;
  token: Token;
}

export interface Method {
  tier: Tier;
  /** Which token may call it; `none` for the one method that issues tokens. */
  token?: 'bot' | 'app' | 'config' | 'any' | 'none';
  scope?: string;
  /** The token counts only in the Authorization header. */
  headerOnly?: true;
  run: (call: MethodCall) => Obj;
}
