import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { Api, ForgeOptions } from '../../src/forge/index.js';
import { createLog } from '../../src/log.js';
import { answering, closePlayed, forgeAt, json, play, type Seen, text } from './support/server.js';

afterEach(closePlayed);

const marks = {
  token: 'MARK-token-1',
  auth: 'MARK-auth-2',
  hook: 'MARK-hook-3',
  header: 'MARK-header-4',
  cloud: 'MARK-cloud-5',
};
const basic = Buffer.from(`token:${marks.token}`).toString('base64');

const calls: readonly ((api: Api, signal?: AbortSignal) => Promise<unknown>)[] = [
  (api, signal) => {
    const clone = { clone_addr: 'https://old.example.org/x.git', repo_name: 'x' };
    const secrets = { auth_token: marks.auth, auth_password: marks.auth, aws_secret_access_key: marks.cloud };
    return api.repos.migrate({ body: { ...clone, ...secrets } }, { signal });
  },
  (api, signal) => {
    const config = { url: 'https://bot.example.org', content_type: 'json', secret: marks.hook } as const;
    return api.admin.createHook({ body: { type: 'gitea', config, authorization_header: marks.header } }, { signal });
  },
  (api, signal) => api.users.me({}, { signal }),
];

interface Fault {
  readonly name: string;
  readonly reply: (response: ServerResponse, heard: string) => void;
  readonly options?: Partial<ForgeOptions>;
}

const elsewhere = `https://ada:${marks.auth}@else.example.org/`;

const faults: readonly Fault[] = [
  { name: 'a message that repeats everything', reply: (response, heard) => json(response, 422, { message: heard }) },
  {
    name: 'an error that repeats everything',
    reply: (response, heard) => json(response, 500, { ok: false, error: heard }),
  },
  { name: 'plain text that repeats everything', reply: (response, heard) => text(response, 400, heard) },
  {
    name: 'a page that repeats everything',
    reply: (response, heard) => text(response, 503, `<html><title>${heard}</title>`),
  },
  { name: 'a bare string', reply: (response, heard) => json(response, 400, heard) },
  {
    name: 'a secret at the edge of what is kept',
    reply: (response, heard) => text(response, 400, `${'x'.repeat(293)}${heard}`),
  },
  {
    name: 'an answer of another shape',
    reply: (response, heard) => json(response, 201, { id: heard, login: marks.token }),
  },
  { name: 'an answer that is cut off', reply: (response) => text(response, 201, `{"id":1,"x":"${marks.auth}`) },
  { name: 'a redirect elsewhere', reply: (response) => void response.writeHead(301, { location: elsewhere }).end() },
  { name: 'a broken connection', reply: (response) => void response.destroy() },
  { name: 'silence', reply: () => undefined, options: { timeouts: { headers: 50, slow: 50 } } },
  {
    name: 'too much',
    reply: (response) => text(response, 200, marks.auth.repeat(1000)),
    options: { maxBodyBytes: 100 },
  },
];

describe('secrets', () => {
  it.each(faults)('are in no error and no log line after $name', async ({ reply, options }) => {
    const written: string[] = [];
    const destination = new Writable({
      write(piece, _encoding, done) {
        written.push(String(piece));
        done();
      },
    });
    const log = createLog({ level: 'trace', destination });
    const server = await play(answering((request, response) => reply(response, everythingSent(request))));
    const api = forgeAt(server.url, { retry: { attempts: 1 }, log, ...options }).as({
      kind: 'token',
      token: marks.token,
    });
    const errors = await Promise.all(calls.map((call) => call(api).catch((error: unknown) => error)));
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      log.error({ err: error }, 'failed');
      expect(everythingIn(error)).not.toMatch(/MARK-/);
      expect(everythingIn(error)).not.toContain(basic);
    }
    expect(written.join('')).toContain('failed');
    expect(written.join('')).not.toMatch(/MARK-/);
    expect(written.join('')).not.toContain(basic);
  });

  it('are in no error if the call is aborted', async () => {
    const server = await play(answering(() => stop.abort(new Error(marks.auth))));
    const stop = new AbortController();
    const api = forgeAt(server.url).as({ kind: 'token', token: marks.token });
    const error: unknown = await calls[0]?.(api, stop.signal).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(everythingIn(error)).not.toMatch(/MARK-/);
  });

  it('are in no error if a field is refused here', async () => {
    const api = forgeAt('http://127.0.0.1:9').as({ kind: 'token', token: marks.token });
    const body = {
      clone_addr: `https://ada:${marks.auth}@old.example.org/x.git`,
      repo_name: 'x',
      auth_token: marks.auth,
    };
    const error: unknown = await api.repos.migrate({ body }).catch((caught: unknown) => caught);
    expect(everythingIn(error)).toContain('clone_addr');
    expect(everythingIn(error)).not.toMatch(/MARK-/);
  });

  it('are not revealed by inspecting the forge or its operations', () => {
    const forge = forgeAt('http://127.0.0.1:9');
    const api = forge.as({ kind: 'token', token: marks.token });
    expect(inspect({ forge, api }, { depth: 10, showHidden: true })).not.toMatch(/MARK-/);
  });
});

function everythingSent({ headers, body }: Seen): string {
  const { authorization = '' } = headers;
  const secret = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  return `${secret.split(':')[1]} https://ada:${marks.auth}@old.example.org ${authorization} ${body}`;
}

function everythingIn(error: unknown): string {
  const chain: unknown[] = [];
  for (let link: unknown = error; link instanceof Error && chain.length < 10; link = link.cause)
    chain.push(link.stack, link.message);
  return [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error), String(error), ...chain].join('\n');
}
