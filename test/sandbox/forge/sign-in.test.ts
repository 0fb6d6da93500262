import { describe, expect, it } from 'vitest';
import { ask, forges } from './ask.js';
import { send } from './replay.js';

const start = forges();

describe('the caller', () => {
  it('takes a password', async () => {
    const forge = await start();
    const me = await send(`${forge.apiUrl}/user`, 'GET', { as: `grace:${forge.users['grace']?.password}` });
    expect(me.answer).toMatchObject({ login: 'grace', email: 'grace@example.org', is_admin: false });
  });

  it('takes a token instead of the password and ignores the name', async () => {
    const forge = await start();
    const me = await send(`${forge.apiUrl}/user`, 'GET', { as: `anyone:${forge.account('grace').token()}` });
    expect(me.answer).toMatchObject({ login: 'grace' });
  });

  it('takes a token in its own header', async () => {
    const forge = await start();
    const headers = { authorization: `token ${forge.account('ada').token()}` };
    expect((await send(`${forge.apiUrl}/user`, 'GET', { headers })).answer).toMatchObject({ login: 'ada' });
  });

  it('refuses a wrong credential even where none is needed', async () => {
    const forge = await start();
    const answer = await send(`${forge.apiUrl}/repos/search`, 'GET', { as: 'grace:wrong' });
    expect(answer).toMatchObject({ status: 401, answer: { message: 'invalid username, password or token' } });
  });

  it('asks for one where it is needed', async () => {
    const forge = await start();
    const answer = await send(`${forge.apiUrl}/notifications`, 'GET');
    expect(answer).toMatchObject({ status: 401, answer: { message: 'token is required' } });
  });

  it('names the scopes a token lacks and those it has', async () => {
    const forge = await start();
    const as = `x:${forge.account('ada').token(['read:repository', 'write:issue'])}`;
    const cron = await send(`${forge.apiUrl}/admin/cron`, 'GET', { as });
    expect(cron.status).toBe(403);
    expect(cron.answer).toMatchObject({
      message: expect.stringContaining('required=[read:admin], token scope=read:repository,write:issue'),
    });
    expect((await send(`${forge.apiUrl}/repos/acme/engine`, 'GET', { as })).status).toBe(200);
    expect((await send(`${forge.apiUrl}/repos/acme/engine/issues/1`, 'GET', { as })).status).toBe(200);
  });

  it('lets an admin act as someone else, and nobody else do so', async () => {
    const forge = await start();
    const sudo = (login: string) =>
      send(`${forge.apiUrl}/user`, 'GET', { as: `x:${forge.account(login).token()}`, headers: { sudo: 'linus' } });
    expect((await sudo('ada')).answer).toMatchObject({ login: 'linus' });
    expect(await sudo('grace')).toMatchObject({
      status: 403,
      answer: { message: 'Only administrators allowed to sudo.' },
    });
  });

  it('creates a token with the Basic form, and with no other', async () => {
    const forge = await start();
    const path = `${forge.apiUrl}/users/grace/tokens`;
    const body = { name: 'bellows', scopes: ['write:issue', 'read:user'] };
    const made = await send(path, 'POST', { as: `grace:${forge.users['grace']?.password}`, body });
    expect(made).toMatchObject({ status: 201, answer: { sha1: expect.any(String), scopes: body.scopes } });
    expect((await ask(forge, 'grace', 'POST /users/grace/tokens', { ...body, name: 'second' })).status).toBe(201);
    const headers = { authorization: `token ${forge.users['grace']?.token()}` };
    expect((await send(path, 'POST', { headers, body: { ...body, name: 'third' } })).status).toBe(401);
  });

  it('hides a private repository from those who may not see it', async () => {
    const forge = await start();
    expect((await ask(forge, 'linus', 'GET /repos/acme/vault')).status).toBe(404);
    expect((await ask(forge, 'grace', 'GET /repos/acme/vault')).status).toBe(200);
  });

  it('keeps administration for the site admin', async () => {
    const forge = await start();
    const answer = await ask(forge, 'grace', 'GET /admin/cron');
    expect(answer).toMatchObject({ status: 403, answer: { message: 'user should be the site admin' } });
  });
});
