import type { SandboxForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { type Exchange, password, send } from './replay.js';
import { type Play, replay } from './replayer.js';

const gpuWorkflow = 'on: push\njobs:\n  train:\n    runs-on: gpu\n    steps:\n      - run: sleep 1\n';

const put = (forge: SandboxForge, path: string, text: string): Promise<unknown> =>
  send(`${forge.apiUrl}/repos/acme/${path}`, 'POST', {
    as: `alice:${password}`,
    body: { content: Buffer.from(text).toString('base64'), message: 'gpu' },
  });

type World = SandboxForge['world'];
const on = { as: 'alice', repo: 'acme/web' };

function pullFrom(world: World, branch: string): void {
  world.push({ ...on, branch, commits: [`add ${branch}`] });
  world.openPull({ ...on, head: branch, title: `PR ${branch}` });
}

/** What the recorder did on routes this forge does not serve, by the following exchange. */
const unwritten: Readonly<Record<string, (world: World) => void>> = {
  migrate: (world) => world.setCollaborator({ repo: 'acme/web', login: 'bellows-bot', level: 'read' }),
  'beyond org labels': (world) => world.addOrgLabel({ repo: 'acme/web', name: 'shared' }),
  'beyond commitStatus': (world) => {
    const sha = world.repo('acme/web').branches.get('feat') ?? '';
    world.commitStatus({ ...on, sha, context: 'ci/x', state: 'success' });
  },
  'comment on a pull': (world) => world.dismissReview({ ...on, index: 4, of: 'bob', reason: 'stale now' }),
  'beyond merge with merge_title_field': (world) => pullFrom(world, 't-snake'),
  'beyond merge with MergeTitleField': (world) => pullFrom(world, 't-camel'),
  'rename repo': (world) => {
    world.push({ ...on, branch: 'tmp', commits: [] });
    world.feedRow({ ...on, op: 'commit_repo', ref: 'refs/heads/tmp' });
    world.deleteBranch({ ...on, branch: 'tmp' });
    world.tag({ ...on, tag: 'v0.1' });
    world.deleteTag({ ...on, tag: 'v0.1' });
    world.release({ ...on, tag: 'v1.0', title: 'One | oh' });
  },
};

async function prepare(forge: SandboxForge, { note }: Exchange): Promise<void> {
  const alice = `alice:${password}`;
  unwritten[note]?.(forge.world);
  if (note === 'package') {
    await send(`${forge.url}/api/packages/acme/generic/tool/1.0/file.bin`, 'PUT', { as: alice, body: {} });
  }
  if (note === 'run waiting') {
    await send(`${forge.apiUrl}/orgs/acme/repos`, 'POST', { as: alice, body: { name: 'gpu', auto_init: true } });
    await put(forge, 'gpu/contents/.forgejo/workflows/gpu.yml', gpuWorkflow);
  }
  // A second run follows the first failed one.
  if (note === 'Forgejo tasks failed') await put(forge, 'gpu/contents/x.txt', 'x');
}

const basic = (name: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
});

/** The note of an exchange says which credential it used. */
function headers(forge: SandboxForge, { note, as_user: who }: Exchange): Record<string, string> | undefined {
  if (note.startsWith('sudo')) return { sudo: note.endsWith('unknown') ? 'nosuch' : 'bob' };
  const held = /with (read:\w+)$/.exec(note)?.[1] ?? (note.endsWith('bad scope') ? 'read:issue' : undefined);
  const token = (scopes?: string[]) => forge.account(who ?? 'alice').token(scopes);
  if (held !== undefined) return { authorization: `token ${token([held])}` };
  if (note.startsWith('public-only')) {
    return { authorization: `token ${token(['public-only', 'write:repository', 'write:issue', 'write:user'])}` };
  }
  if (note === 'beyond me bad token') return { authorization: 'token 0000' };
  if (note.endsWith('(token)') || note.endsWith('token scheme')) return { authorization: `token ${token()}` };
  if (note.endsWith('(Bearer)')) return { authorization: `Bearer ${token()}` };
  if (note.endsWith('as password)') || note.endsWith('as Basic password')) return basic('x', token());
  return undefined;
}

/** The API document is compared elsewhere; a version was read as JSON, whatever its type; a second may have passed. */
const passes = ({ note }: Exchange, difference: string): boolean =>
  note.startsWith('description') ||
  (note === 'Forgejo version' && difference.includes('$.')) ||
  (note === 'beyond run after cancel' && difference.endsWith('$.duration: number'));

const play = { prepare, headers, passes } satisfies Partial<Play>;

const ci =
  'on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n' +
  '  after:\n    runs-on: ubuntu-latest\n    needs: [build]\n    steps:\n      - run: make\n';

/** The starting point of the 16 recording, which only has what is different there. */
async function populate(forge: SandboxForge): Promise<void> {
  const { world } = forge;
  for (const login of ['alice', 'bob', 'carol', 'dave', 'bellows-bot']) world.createUser({ login, password });
  world.createOrg({ as: 'alice', login: 'acme' });
  world.createRepo({ as: 'alice', owner: 'acme', name: 'web' });
  world.createRepo({ as: 'alice', owner: 'acme', name: 'secret', private: true });
  await put(forge, 'web/contents/.forgejo/workflows/ci.yml', ci);
}

describe('against the recordings of real Forgejo servers', () => {
  it.each([
    ['forgejo-11', 'forgejo-11.0.1', undefined],
    ['forgejo-15', 'forgejo-15.0.3', undefined],
    ['forgejo-16', 'forgejo-16.0-dev', populate],
  ] as const)('answers every exchange as %s with the same status and shape', async (...row) => {
    const [flavor, name, start] = row;
    expect(await replay(name, { ...play, flavor }, start)).toEqual([]);
  });
});
