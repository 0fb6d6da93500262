import type { KnownBlock } from '@slack/types';
import { frame, type Look } from '../look.js';
import { link, md, mention } from '../text.js';

export interface AccountLike {
  readonly login: string;
  readonly full_name?: string | null | undefined;
  readonly html_url?: string | null | undefined;
  readonly is_admin?: boolean | null | undefined;
}

export interface Linked {
  readonly slackUser?: string | undefined;
  /** linked, from the settings, by email address. */
  readonly how?: string | undefined;
  readonly role?: string | undefined;
}

/** Who someone is in Slack and at the forge. */
export function personCard(account: AccountLike, linked: Linked, look: Look): KnownBlock[] {
  const name = link(account.html_url, account.login);
  return frame(
    {
      subject: linked.slackUser === undefined ? name : md`${mention(linked.slackUser, account.login)} is ${name}`,
      facts: [
        account.full_name || undefined,
        linked.how,
        linked.role === undefined ? undefined : `role ${linked.role}`,
        account.is_admin ? 'site admin' : undefined,
      ],
    },
    look,
  );
}
