import { type PolicyFile, readPolicyFile } from '../../src/config/file.js';
import type { Seed } from './slack/index.js';

export interface Someone {
  readonly id: string;
  /** The same on the forge. */
  readonly name: string;
  readonly realName: string;
  readonly about: string;
  /** Linked from the start, so that a second person can approve at once. */
  readonly linked: boolean;
}

/** The people a visitor can be. */
export const people: readonly Someone[] = [
  { id: 'U0ADA00001', name: 'ada', realName: 'Ada', about: 'admin', linked: false },
  { id: 'U0GRACE001', name: 'grace', realName: 'Grace', about: 'maintainer', linked: true },
  { id: 'U0MARGARET', name: 'margaret', realName: 'Margaret', about: 'maintainer', linked: true },
  { id: 'U0LINUS001', name: 'linus', realName: 'Linus', about: 'guest', linked: false },
];

export const channelAbout: Readonly<Record<string, string>> = {
  general: 'For everyone',
  engine: 'acme/engine: issues, reviews, runs',
  ops: 'Risky commands wait here for a second person’s approval',
  core: 'Private: what not everyone should see',
};

export const opsChannel = 'C0OPS00001';

export const slackSeed: Seed = {
  team: { name: 'Acme Works', domain: 'acme-sandbox' },
  users: people.map(({ id, name, realName }) => ({ id, name, realName, email: `${name}@acme.example` })),
  channels: [
    { id: 'C0GENERAL1', name: 'general' },
    { id: 'C0ENGINE01', name: 'engine' },
    { id: opsChannel, name: 'ops' },
    { id: 'C0CORE0001', name: 'core', kind: 'private', members: ['ada', 'grace', 'margaret'] },
  ],
};

/** Parsed like a file, so that the sandbox cannot promise what a real policy cannot. */
export function sandboxPolicy(): PolicyFile {
  const idOf = (name: string) => people.find((each) => each.name === name)?.id;
  const policy = {
    roles: { admin: { users: [idOf('ada')] }, maintainer: { users: [idOf('grace'), idOf('margaret')] } },
    people: Object.fromEntries(people.map(({ name, id }) => [name, id])),
    approvals: { risky: { approve: 'maintainer', channel: opsChannel, expires: '2h' } },
    deployments: {
      production: {
        repository: 'acme/engine',
        workflow: 'deploy.yml',
        refs: ['main', 'v*'],
        inputs: { environment: 'production' },
        ask: 'maintainer',
        approve: 'maintainer',
        channel: opsChannel,
        expires: '2h',
        breakGlass: { users: [idOf('ada')] },
      },
      staging: {
        repository: 'acme/engine',
        workflow: 'deploy.yml',
        refs: ['**'],
        inputs: { environment: 'staging' },
        channel: opsChannel,
        count: 0,
      },
    },
    queues: [{ repository: 'acme/website', channel: 'C0ENGINE01' }],
    workObjects: true,
    feed: { busySeconds: 1, idleSeconds: 2, requestsPerSecond: 50 },
  };
  return readPolicyFile(JSON.stringify(policy), 'the sandbox');
}
