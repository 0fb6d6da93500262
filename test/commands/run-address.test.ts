import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/chat/context.js';
import { meantRun } from '../../src/features/runs/read.js';
import { forgeAt, json, play, token } from '../forge/support/server.js';

const at = { owner: 'acme', repo: 'web' };
const doing = { verb: 'Cancel', command: 'run cancel' } as const;

interface Known {
  readonly id: number;
  readonly number: number;
  readonly address?: number;
}

/** A server whose runs have these ids, these page numbers, and one of the two in their addresses. */
async function serving(...runs: readonly Known[]): Promise<Context> {
  const rendered = runs.map(({ id, number, address }) => ({
    id,
    run_number: number,
    display_title: `Run ${id}`,
    status: 'in_progress',
    html_url: address === undefined ? '' : `http://forge/acme/web/actions/runs/${address}`,
  }));
  const server = await play((request, response) => {
    const [, id] = /\/actions\/runs\/(\d+)$/.exec(request.path) ?? [];
    if (request.path.includes('/actions/runs?')) return json(response, 200, { workflow_runs: rendered });
    if (id === undefined) return;
    const found = rendered.find((run) => String(run.id) === id);
    if (found) json(response, 200, found);
    else json(response, 404, { message: `run with id ${id}: resource does not exist` });
  });
  // the parts of a context needed to read a run
  return { api: forgeAt(server.url).as(token) } as Context;
}

describe('a pasted address', () => {
  it('is the id if the server writes ids into addresses', async () => {
    const context = await serving({ id: 8, number: 4, address: 8 }, { id: 4, number: 1, address: 4 });
    expect(await meantRun({ ...at, run: 4, pasted: true }, doing, context)).toEqual({ ...at, run: 4 });
  });

  it('is the number if the server writes numbers, and never the run whose id that is', async () => {
    const context = await serving({ id: 8, number: 4, address: 4 }, { id: 4, number: 1, address: 1 });
    expect(await meantRun({ ...at, run: 4, pasted: true }, doing, context)).toEqual({ ...at, run: 8 });
  });

  it('needs a choice if the server does not say which it is', async () => {
    const context = await serving({ id: 8, number: 4 }, { id: 4, number: 1 });
    const asked = meantRun({ ...at, run: 4, pasted: true }, doing, context);
    await expect(asked).rejects.toThrow('Which run do you mean?');
  });

  it('is nothing if there is no run', async () => {
    const context = await serving({ id: 8, number: 4, address: 4 });
    const asked = meantRun({ ...at, run: 9, pasted: true }, doing, context);
    await expect(asked).rejects.toThrow('I can’t find a run at that address');
  });
});

it('a button names the id and needs no choice', async () => {
  const context = await serving({ id: 8, number: 4, address: 4 }, { id: 4, number: 1, address: 1 });
  expect(await meantRun({ ...at, run: 4 }, doing, context)).toEqual({ ...at, run: 4 });
});
