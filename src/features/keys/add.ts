import { command, type Observation, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { repository, sshKey, text, toggle } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { isNew } from '../find.js';
import { addedMessage, fingerprintOf } from './list.js';

interface NewDeployKey {
  readonly repository: RepositoryRef;
  readonly title: string;
  readonly key: string;
  readonly write?: boolean | undefined;
}

const inputOf = ({ repository, title, key, write }: NewDeployKey) => ({
  ...repository,
  // The server's default would let the key write.
  body: { title, key, read_only: write !== true },
});

/** The forge's answer would be cryptic; this names the existing key. */
async function refuseDuplicate({ repository, key }: NewDeployKey, { api }: Context): Promise<string> {
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

const planDeployKey = (args: NewDeployKey) => [request('keys.addDeploy', inputOf(args))];

async function observeDeployKey(args: NewDeployKey, context: Context): Promise<Observation> {
  const fingerprint = await refuseDuplicate(args, context);
  return {
    bound: { fingerprint, 'already there': false },
    shown: [
      ['Fingerprint', fingerprint],
      ['Access', args.write ? 'read and write: it may push' : 'read only'],
    ],
    wants: { says: `add the deploy key “${args.title}” to ${fullName(args.repository)}` },
  };
}

async function addDeployKey(args: NewDeployKey, context: Context) {
  await refuseDuplicate(args, context);
  return context.api.keys.addDeploy(inputOf(args));
}

async function findAddedDeployKey({ repository, key }: NewDeployKey, { api }: Context, sent: Sent) {
  const fingerprint = fingerprintOf(key);
  const { items } = await api.keys.listDeploy({ ...repository, query: { fingerprint } });
  return items.find((each) => each.fingerprint === fingerprint && isNew(each.created_at, sent));
}

const addedDeployKeyMessage = (
  key: Awaited<ReturnType<typeof addDeployKey>>,
  { repository }: NewDeployKey,
  context: Context,
) => addedMessage({ ...key, repository: { full_name: fullName(repository) } }, key.token, context);

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
  plan: planDeployKey,
  approval: { observe: observeDeployKey },
  run: addDeployKey,
  findDone: findAddedDeployKey,
  reply: addedDeployKeyMessage,
});
