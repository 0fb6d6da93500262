import { request } from 'undici';
import type { Api, Credential, OperationName } from '../../../src/forge/index.js';

/** A server's answer to a request our client would not send. */
export interface Raw {
  readonly status: number;
  readonly text: string;
}

export interface Person {
  readonly login: string;
  readonly credential: Credential;
  readonly api: Api;
  /** The same with the password, if known: some servers create tokens only with it. */
  readonly byPassword?: Api;
  /** Bypasses our own checks: `send('PATCH', '/repos/a/b/issues/1', { state: 'bogus' })`. */
  send(method: Method, path: string, body?: unknown): Promise<Raw>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** root: site admin. alice: owns the organization. bob, carol: can write in all its repositories. dave: a stranger. */
export type Role = 'root' | 'alice' | 'bob' | 'carol' | 'dave';

/** A runner that takes one job at a time and reports only on request. */
export interface PlayedRunner {
  readonly id: number;
  readonly name: string;
  take(): Promise<void>;
  /** Lines of the job's log. */
  write(...lines: readonly string[]): Promise<void>;
  finish(result: 'success' | 'failure'): Promise<void>;
}

export interface Repo {
  readonly owner: string;
  readonly repo: string;
}

/** What the suite needs and no operation of the table can create. */
export interface Ground {
  /** A branch with one new file and one commit. */
  branch(at: Repo, name: string): Promise<void>;
  /** A new file on the default branch. */
  commit(at: Repo): Promise<void>;
  /** From a new branch to the default one; returns its number. */
  openPull(at: Repo, by: Role, title: string): Promise<number>;
  watch(at: Repo, by: Role): Promise<void>;
  archive(at: Repo): Promise<void>;
  rename(at: Repo, name: string): Promise<void>;
  /** Returns the id. */
  label(at: Repo, name: string): Promise<number>;
  milestone(at: Repo, title: string): Promise<number>;
  project(by: Role, title: string): Promise<number>;
  package(owner: string, name: string, version: string): Promise<void>;
  /** One job that only runners with this label take; returns the run's id. */
  queueRun(at: Repo, label: string): Promise<number>;
  /** A workflow file on main, or on a new branch from it. */
  workflow(at: Repo, file: string, text: string, branch?: string): Promise<void>;
  runner(label: string): Promise<PlayedRunner>;
}

export interface ContractServer {
  readonly url: string;
  readonly version: string;
  /** For behavior that differs between the two; capabilities come from the server's API document. */
  readonly product: 'Gitea' | 'Forgejo';
  readonly people: Readonly<Record<Role, Person>>;
  /** The organization alice owns. */
  readonly org: string;
  readonly ground: Ground;
  has(name: OperationName): Promise<boolean>;
}

export async function send(url: string, auth: string, method: Method, path: string, body?: unknown): Promise<Raw> {
  const headers = {
    ...(auth && { authorization: auth }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const payload = body === undefined ? null : JSON.stringify(body);
  const answer = await request(`${url}/api/v1${path}`, { method, headers, body: payload });
  return { status: answer.statusCode, text: await answer.body.text() };
}

export function authorization(credential: Credential): string {
  if (credential.kind === 'renewed') throw new Error('the suite signs people in with tokens');
  if (credential.kind === 'anonymous') return '';
  const pair = credential.kind === 'token' ? `token:${credential.token}` : `${credential.login}:${credential.secret}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
