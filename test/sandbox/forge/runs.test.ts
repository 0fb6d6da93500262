import type { SandboxForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { ask, forges } from './ask.js';

const start = forges();
const repo = 'acme/engine';
const at = '/repos/acme/engine/actions/runs';

const shown = async (forge: SandboxForge, run: number) => (await ask(forge, 'grace', `GET ${at}/${run}`)).answer;

describe('workflow runs', () => {
  it('queue, run and fail', async () => {
    const forge = await start();
    const { id } = forge.world.queueRun({ as: 'grace', repo });
    expect(await shown(forge, id)).toMatchObject({ status: 'queued', started_at: '1970-01-01T00:00:00Z' });
    forge.world.takeJob({ runner: 'builder-1', run: id });
    expect(await shown(forge, id)).toMatchObject({ status: 'in_progress' });
    forge.world.finishRun({ run: id, conclusion: 'failure' });
    expect(await shown(forge, id)).toMatchObject({ status: 'completed', conclusion: 'failure' });
  });

  it('hold back a job until what it needs is done, and skip it if that failed', async () => {
    const forge = await start();
    const plan = { labels: ['ubuntu-latest'], steps: [] };
    const jobs = [
      { ...plan, name: 'build', needs: [] },
      { ...plan, name: 'ship', needs: ['build'] },
    ];
    const { id } = forge.world.startRun({ as: 'grace', repo, jobs });
    expect((await ask(forge, 'grace', `GET ${at}/${id}/jobs`)).answer).toMatchObject({
      jobs: [{ status: 'in_progress' }, { status: 'waiting' }],
    });
    forge.world.finishRun({ run: id, conclusion: 'failure' });
    expect((await ask(forge, 'grace', `GET ${at}/${id}/jobs`)).answer).toMatchObject({
      jobs: [{ conclusion: 'failure' }, { conclusion: 'skipped' }],
    });
  });

  it('end by a regular cancel once a live runner confirmed', async () => {
    const forge = await start();
    const { id } = forge.world.startRun({ as: 'grace', repo });
    expect((await ask(forge, 'grace', `POST ${at}/${id}/cancel`)).answer).toMatchObject({ status: 'in_progress' });
    expect(await shown(forge, id)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
  });

  it('hang on a silent runner until they are force-canceled, and ignore later reports', async () => {
    const forge = await start();
    const { id } = forge.world.startRun({ as: 'grace', repo });
    forge.world.freezeRun({ run: id });
    await ask(forge, 'grace', `POST ${at}/${id}/cancel`);
    expect(await shown(forge, id)).toMatchObject({ status: 'in_progress' });
    expect((await ask(forge, 'grace', `POST ${at}/${id}/force-cancel`)).answer).toMatchObject({
      conclusion: 'cancelled',
    });
    expect(forge.world.reportLate({ run: id, conclusion: 'success' })).toBe(false);
    expect(await shown(forge, id)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    expect(await ask(forge, 'grace', `POST ${at}/${id}/force-cancel`)).toMatchObject({
      status: 409,
      answer: { message: 'run is already completed' },
    });
  });

  it('can be rerun as a further attempt', async () => {
    const forge = await start();
    const { id } = forge.world.startRun({ as: 'grace', repo });
    expect((await ask(forge, 'ada', `POST ${at}/${id}/rerun`)).status).toBe(400);
    forge.world.finishRun({ run: id, conclusion: 'failure' });
    const again = await ask(forge, 'ada', `POST ${at}/${id}/rerun`);
    expect(again).toMatchObject({
      status: 201,
      answer: { id, run_attempt: 2, status: 'queued', previous_attempt_url: expect.stringContaining('/attempts/1') },
    });
  });

  it('are filtered by other words than those they are shown with', async () => {
    const forge = await start();
    const total = async (query: string) => (await ask(forge, 'grace', `GET ${at}?${query}`)).headers['x-total-count'];
    expect(await total('status=queued')).toBe('1');
    expect(await total('status=in_progress')).toBe('1');
    expect(await total('status=failure&status=success')).toBe('5');
    expect(await ask(forge, 'grace', `GET ${at}?status=bogus`)).toMatchObject({ status: 400 });
    expect(await ask(forge, 'grace', `GET ${at}?actor=nobody`)).toMatchObject({ status: 500, answer: { message: '' } });
  });

  it('may be stopped only by people with write access', async () => {
    const forge = await start();
    const { id } = forge.world.queueRun({ as: 'grace', repo });
    expect((await ask(forge, 'margaret', `POST ${at}/${id}/force-cancel`)).status).toBe(403);
  });
});

describe('runners', () => {
  it('are busy while they run, can be disabled and removed', async () => {
    const forge = await start();
    forge.world.startRun({ as: 'grace', repo });
    const path = '/admin/actions/runners/1';
    expect((await ask(forge, 'ada', `GET ${path}`)).answer).toMatchObject({
      name: 'builder-1',
      status: 'online',
      busy: true,
    });
    expect((await ask(forge, 'ada', `PATCH ${path}`, { disabled: true })).answer).toMatchObject({ disabled: true });
    expect(forge.world.takeJob({ runner: 'builder-1' })).toBeUndefined();
    expect((await ask(forge, 'ada', `DELETE ${path}`)).status).toBe(204);
    expect((await ask(forge, 'ada', `GET ${path}`)).status).toBe(404);
  });

  it('register with a token that stays the same', async () => {
    const forge = await start();
    const path = '/admin/actions/runners/registration-token';
    const token = (await ask(forge, 'ada', `POST ${path}`)).answer;
    expect((await ask(forge, 'ada', `POST ${path}`)).answer).toEqual(token);
  });
});
