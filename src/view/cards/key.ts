import type { KnownBlock } from '@slack/types';
import { frame, type Look, type Person, person, when } from '../look.js';
import { bold, code, md } from '../text.js';
import type { Instant } from '../when.js';

/** Never the key itself or its token: a token is shown once by `secretCard`. */
export interface KeyLike {
  readonly id: number;
  readonly title: string;
  readonly fingerprint?: string | null | undefined;
  readonly key_type?: string | null | undefined;
  readonly read_only?: boolean | null | undefined;
  readonly repository?: { readonly full_name: string } | null | undefined;
  readonly user?: Person | null | undefined;
  readonly created_at?: Instant;
  readonly last_used_at?: Instant;
}

export function keyCard(key: KeyLike, look: Look): KnownBlock[] {
  const used = when(key.last_used_at, look);
  return frame(
    {
      state: key.read_only ? '👁️ Read only' : '✏️ Can write',
      subject: bold(key.title || `key ${key.id}`),
      facts: [
        key.repository?.full_name,
        key.fingerprint ? code(key.fingerprint) : undefined,
        key.key_type || undefined,
        person(key.user, look),
        when(key.created_at, look),
        used === undefined ? undefined : md`used ${used}`,
      ],
    },
    look,
  );
}
