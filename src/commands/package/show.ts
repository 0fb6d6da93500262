import { command } from '../../chat/command.js';
import { request } from '../../chat/request.js';
import { packageCard } from '../../view/cards/package.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { packageRef } from './reference.js';

export const packageShow = command({
  name: 'package show',
  summary: 'Show one version of a package',
  examples: ['package show acme/generic/engine/0.9', 'package show acme/npm/@acme/loom/1.2.0'],
  fields: { package: packageRef() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['packages.get'],
  plan: (args) => [request('packages.get', args.package)],
  run: (args, { api }) => api.packages.get(args.package),
  reply: (found, _args, { now }) =>
    message({
      blocks: packageCard(found, { now, buttons: [openButton(found.html_url)] }),
    }),
});
