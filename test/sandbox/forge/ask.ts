import { type ForgeOptions, type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { afterEach } from 'vitest';
import { type Sent, send } from './replay.js';

/** Starts forges that are closed with the test. */
export function forges(): (options?: ForgeOptions) => Promise<SandboxForge> {
  const open: SandboxForge[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((forge) => forge.close()));
  });
  return async (options) => {
    const forge = await startForge(options);
    open.push(forge);
    return forge;
  };
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `ask(forge, 'ada', 'GET /user')`, with a token with every scope. */
export function ask(forge: SandboxForge, login: string, what: `${Method} /${string}`, body?: unknown): Promise<Sent> {
  const [method, path] = what.split(' ') as [Method, string]; // the template says so
  return send(`${forge.apiUrl}${path}`, method, { as: `${login}:${forge.account(login).token()}`, body });
}

export const first = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined) throw new Error('nothing there');
  return item;
};

/** Rows of a list of objects. */
export function rows(sent: Sent): Record<string, unknown>[] {
  if (!Array.isArray(sent.answer)) throw new Error(`no list but ${JSON.stringify(sent.answer)}`);
  return sent.answer;
}
