import { createHash } from 'node:crypto';
import { formButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, number, offset, readFrom, repository, rows, text } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { actions, section } from '../../view/blocks.js';
import { type KeyLike, keyCard } from '../../view/cards/key.js';
import { secretCard } from '../../view/cards/outcome.js';
import { type Message, message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';

interface KeyQuery {
  readonly repository: RepositoryRef;
  readonly fingerprint?: string | undefined;
  readonly keyId?: number | undefined;
}

const inputOf = ({ repository, fingerprint, keyId }: KeyQuery) => ({
  ...repository,
  query: { fingerprint, key_id: keyId },
});

export const keyList = command({
  name: 'key list',
  summary: 'List the deploy keys of a repository',
  examples: ['key list acme/engine', 'key list acme/engine --fingerprint SHA256:abc'],
  fields: {
    repository: repository(),
    fingerprint: flag(text({ label: 'Fingerprint', placeholder: 'SHA256:…', max: 200 })),
    keyId: flag(number({ label: 'Public key ID' })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['keys.listDeploy'],
  plan: (args) => [request('keys.listDeploy', inputOf(args))],
  run(args, { api }) {
    const { query, ...at } = inputOf(args);
    return readFrom(args.from ?? 0, (paging) => api.keys.listDeploy({ ...at, query: { ...query, ...paging } }));
  },
  reply: (found, args, { now }) => {
    const { repository } = args;
    const name = fullName(repository);
    const add = actions(formButton({ text: 'Add deploy key', command: 'key add', args: { repository } }));
    if (found.items.length === 0) return message({ blocks: [section(md`No matching deploy keys in ${name}.`), add] });
    const shown = stretch(
      found,
      rows,
      (key) => keyCard(key, { now, style: 'row' }),
      (from) => turnButton({ text: 'Show more', command: 'key list', args: { ...args, from } }),
    );
    return message({ blocks: [section(md`Deploy keys of ${name}`), ...shown, add] });
  },
});

/** `SHA256:…`, as the forge and ssh-keygen write it. */
export function fingerprintOf(publicKey: string): string {
  const [, base64 = ''] = publicKey.trim().split(/\s+/);
  const hash = createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64');
  return `SHA256:${hash.replace(/=+$/, '')}`;
}

/** An HTTPS key has a token that is shown only once. */
export function addedMessage(key: KeyLike, token: string | undefined, { now }: Context): Message {
  const card = keyCard(key, { now, says: md`Added` });
  const shown = token ? secretCard(md`The key’s token:`, token) : [];
  return message({ blocks: [...card, ...shown] });
}
