import { command } from '../../chat/command.js';
import { followFields, unfollowedItemMessage, unfollowItem } from './follow.js';

export const unfollow = command({
  name: 'unfollow',
  title: 'Stop following',
  summary: 'Stop following an issue or pull request',
  examples: ['unfollow acme/engine#12', 'unfollow #12 --me'],
  fields: followFields,
  form: { submit: 'Stop following' },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: [],
  account: 'none',
  plan: () => [],
  run: unfollowItem,
  saidInChannel: ({ announced }) => announced,
  reply: unfollowedItemMessage,
});
