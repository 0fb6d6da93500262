import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { repository, sshKey, text, toggle } from '../../chat/fields/index.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { addedMessage } from '../../domain/keys/added.js';
import { fingerprintOf } from '../../domain/keys/fingerprint.js';
import { isNew } from '../../domain/look-for.js';
import { UserError } from '../../errors.js';

interface Wanted {
  readonly repository: RepositoryRef;
  readonly title: string;
  readonly key: string;
  readonly write?: boolean | undefined;
}

const inputOf = ({ repository, title, key, write }: Wanted) => ({
  ...repository,
  // The server's own default would let the key write.
  body: { title, key, read_only: write !== true },
});

/** The forge would answer with a puzzle; here the person learns which key it is. */
async function refuseDuplicate({ repository, key }: Wanted, { api }: Context): Promise<string> {
  const fingerprint = fingerprintOf(key);
  const { items } = await api.keys.listDeploy({ ...repository, query: { fingerprint } });
  const same = items.find((each) => each.fingerprint === fingerprint);
  if (!same) return fingerprint;
  const access = same.read_only ? 'read only' : 'can write';
  throw new UserError(
    `This key is already on ${fullName(repository)}: “${same.title}” (${access}, id ${same.id}). Use it, or remove it on the forge first.`,
    { field: 'key' },
  );
}

export const keyAdd = command({
  name: 'key add',
  summary: 'Add a deploy key to a repository (write access needs approval)',
  examples: [
    'key add acme/engine "build server" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2X5k2mWq0nXbqzqk7lV2T6hQ0m8uY0c9w1u3Zr5p7a build',
  ],
  fields: {
    repository: repository(),
    title: text({ label: 'Title', placeholder: 'title' }),
    key: sshKey(),
    write: toggle({ label: 'Write access', text: 'Allow pushing with this key' }),
  },
  role: 'maintainer',
  risk: 'risky',
  riskOf: ({ write }) => (write ? 'risky' : 'write'),
  confidential: true,
  effect: 'once',
  operations: ['keys.addDeploy', 'keys.listDeploy'],
  plan: (args) => [request('keys.addDeploy', inputOf(args))],
  async observe(args, context) {
    const fingerprint = await refuseDuplicate(args, context);
    return {
      bound: { fingerprint, 'already there': false },
      shown: [
        ['Fingerprint', fingerprint],
        ['Access', args.write ? 'read and write: it may push' : 'read only'],
      ],
      wants: { says: `add the deploy key “${args.title}” to ${fullName(args.repository)}` },
    };
  },
  async run(args, context) {
    await refuseDuplicate(args, context);
    return context.api.keys.addDeploy(inputOf(args));
  },
  async findDone({ repository, key }, { api }, sent) {
    const fingerprint = fingerprintOf(key);
    const { items } = await api.keys.listDeploy({ ...repository, query: { fingerprint } });
    return items.find((each) => each.fingerprint === fingerprint && isNew(each.created_at, sent));
  },
  reply: (key, { repository }, context) =>
    addedMessage({ ...key, repository: { full_name: fullName(repository) } }, key.token, context),
});
