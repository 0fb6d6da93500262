import { fullName } from '../chat/references.js';
import type { Services } from '../chat/session.js';
import type { PolicyFile } from '../config.js';
import { exposure } from '../feed/exposure.js';
import { isHidden } from '../forge/index.js';
import { visible } from '../jobs/visible.js';

type Repository = { readonly owner: string; readonly repo: string };

/** The guard for approval cards: why this repository must not be shown there. */
export function createExposed({ slack, service }: Services, policy: PolicyFile['exposure']) {
  return async (repository: Repository | undefined, channel: string): Promise<string | undefined> => {
    const audience = await slack.channel(channel);
    const found = repository && (await visible(fullName(repository), service));
    // what the bot's own account cannot see counts as hidden
    const hidden = repository !== undefined && (found === undefined || isHidden(found));
    const verdict = exposure({ hidden }, audience, policy);
    return verdict.allowed ? undefined : verdict.words;
  };
}
