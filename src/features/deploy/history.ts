import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { offset, optional, rows } from '../../chat/fields.js';
import { section } from '../../view/blocks.js';
import { deploymentRow } from '../../view/cards/deployment.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { bold, md } from '../../view/text.js';
import { environment, visible } from './environment.js';

export const deployHistory = command({
  name: 'deploy history',
  title: 'List past deployments',
  summary: 'List past deployments, who requested them and who approved them',
  examples: ['deploy history', 'deploy history production'],
  fields: { environment: optional(environment()), from: offset() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['repos.get'],
  needs: ['repos.get'],
  plan: () => [],
  async run({ environment, from = 0 }, context) {
    const shown = await visible(environment, context);
    const all = (await Promise.all(shown.map(({ name }) => context.store.deployments.list(name)))).flat();
    all.sort((a, b) => b.startedAt - a.startedAt);
    const items = all.slice(from, from + rows);
    return { items, from, total: all.length, hasMore: from + rows < all.length, note: undefined };
  },
  reply(found, args, { now }) {
    const of = args.environment === undefined ? md`` : md` to ${bold(args.environment)}`;
    if (found.items.length === 0) return message({ blocks: [section(md`No deployments${of} yet.`)] });
    const shown = stretch(
      found,
      rows,
      (each) => deploymentRow(each, { now }),
      (from) => turnButton({ text: 'Show more', command: 'deploy history', args: { ...args, from } }),
    );
    return message({ blocks: [section(md`Deployments${of}`), ...shown] });
  },
});
