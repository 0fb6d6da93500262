import { type AnyCommand, command } from '../../../src/chat/command.js';
import { optional, text } from '../../../src/chat/fields.js';
import { request } from '../../../src/chat/request.js';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';

const item = { owner: 'acme', repo: 'engine', index: 2 };

/** What the test controls about the requested item. */
export interface World {
  state: string;
  observe: () => void;
  run: () => unknown;
  found: 'unknowable' | 'there' | undefined;
  /** Why the card may not be shown where it is. */
  refusal?: string | undefined;
}

/** A risky command whose every part a test can change. */
export const createVault =
  (world: World) =>
  (name: string, more: Partial<AnyCommand> = {}): AnyCommand => {
    const vault = command({
      name,
      summary: 'Open the vault',
      examples: [],
      fields: { why: optional(text({ label: 'Why', hint: '' })) },
      role: 'maintainer',
      risk: 'risky',
      effect: 'once',
      operations: ['issues.edit'],
      plan: () => [request('issues.edit', { ...item, body: { state: 'closed' } })],
      approval: {
        async observe() {
          world.observe();
          return { bound: { state: world.state }, shown: [['State', world.state]] };
        },
      },
      async run(_args, { api }) {
        await world.run();
        return api.issues.edit({ ...item, body: { state: 'closed' } });
      },
      findDone: async () => (world.found === 'there' ? { title: 'found' } : world.found),
      reply: () => say(md`The vault is open.`),
    });
    return { ...vault, ...more, approval: { ...vault.approval, ...more.approval } };
  };
