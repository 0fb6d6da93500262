import type { KnownBlock } from '@slack/types';
import { by, frame, type Look, type Person, when } from '../look.js';
import { link } from '../text.js';
import type { Instant } from '../when.js';

export interface PackageLike {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly html_url: string;
  readonly owner?: Person | null | undefined;
  readonly creator?: Person | null | undefined;
  readonly repository?: { readonly full_name: string } | null | undefined;
  readonly created_at?: Instant;
}

export function packageCard(found: PackageLike, look: Look): KnownBlock[] {
  return frame(
    {
      state: `📦 ${found.type}`,
      subject: link(found.html_url, `${found.name} ${found.version}`),
      facts: [found.owner?.login, found.repository?.full_name, when(found.created_at, look), by(found.creator, look)],
    },
    look,
  );
}
