import type { House } from '../chat/session.js';
import type { PolicyFile } from '../config.js';
import { exposure } from '../feed/exposure.js';
import { ApiError } from '../forge/index.js';

type Repository = { readonly owner: string; readonly repo: string };

/** The guard of approval cards: why something about this repository must not be shown there. */
export function createExposed(house: House, policy: PolicyFile['exposure']) {
  return async (repository: Repository | undefined, channel: string): Promise<string | undefined> => {
    const audience = await house.slack.channel(channel);
    const isPrivate = repository !== undefined && (await isHidden(house, repository));
    const verdict = exposure({ private: isPrivate }, audience, policy);
    return verdict.allowed ? undefined : verdict.words;
  };
}

/** What the bot's own account cannot see is taken for private. */
async function isHidden(house: House, repository: Repository): Promise<boolean> {
  try {
    return (await house.service.repos.get(repository)).private;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return true;
    throw error;
  }
}
