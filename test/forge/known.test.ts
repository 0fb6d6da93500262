import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createForge, type Forge } from '../../src/forge/index.js';

let server: SandboxForge;
let forge: Forge;
beforeAll(async () => {
  server = await startForge();
  forge = createForge({ url: server.url });
});
afterAll(async () => {
  await forge.close();
  await server.close();
});

const feed = async (known: (print: string) => boolean) => {
  const api = forge.as({ kind: 'token', token: server.account('ada').token() });
  const { items } = await api.activity.repoFeed({ owner: 'acme', repo: 'engine', query: { limit: 5 } }, { known });
  return items.length;
};

it('does not parse a list whose bytes the caller knows, and parses it when they changed', async () => {
  let last = '';
  const look = (print: string) => {
    const same = print === last;
    last = print;
    return same;
  };
  expect(await feed(look)).toBe(5);
  expect(await feed(look)).toBe(0);
  server.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'News' });
  expect(await feed(look)).toBe(5);
});
