import { createToken } from '../acts/people.js';
import { person } from '../state/find.js';
import type { State } from '../state/state.js';
import type { World } from '../world/index.js';

export const passwordOf = (login: string): string => `sandbox-${login}`;

const people = [
  { login: 'ada', fullName: 'Ada', admin: true },
  { login: 'grace', fullName: 'Grace' },
  { login: 'linus', fullName: 'Linus' },
  { login: 'margaret', fullName: 'Margaret' },
];

/** ada runs the site and owns the organization; grace writes; margaret reads and reviews; linus is a guest. */
export function seedPeople(state: State, world: World): void {
  for (const who of people) world.createUser({ ...who, password: passwordOf(who.login) });
  world.createUser({ login: 'bellows-bot', fullName: 'Bellows', password: passwordOf('bellows-bot') });
  world.createUser({ login: 'dependabot-bot', kind: 'Bot', fullName: 'Dependency updates' });
  person(state, 'grace').moreEmails.push({ email: 'grace@acme.example', verified: true });
  person(state, 'linus').moreEmails.push({ email: 'linus@home.example', verified: false });
  world.createOrg({ as: 'ada', login: 'acme', fullName: 'Acme Works' });
  const write = { code: 'write', issues: 'write', pulls: 'write', releases: 'write', projects: 'write' } as const;
  world.createTeam({
    org: 'acme',
    name: 'core',
    allRepos: true,
    units: { ...write, actions: 'write', packages: 'write', wiki: 'write' },
    members: ['grace', 'dependabot-bot'],
  });
  const read = { code: 'read', issues: 'write', pulls: 'read', actions: 'read', projects: 'read' } as const;
  world.createTeam({ org: 'acme', name: 'review', allRepos: true, units: read, members: ['margaret'] });
  world.createTeam({
    org: 'acme',
    name: 'service',
    allRepos: true,
    units: { ...read, releases: 'read', packages: 'read' },
    members: ['bellows-bot'],
  });
  createToken(state, person(state, 'bellows-bot'), 'bellows', ['all']);
}

export function seedRepos(world: World): void {
  const owner = 'acme';
  world.createRepo({
    as: 'ada',
    owner,
    name: 'engine',
    description: 'The analytical engine',
    language: 'Go',
    topics: ['compute'],
  });
  world.createRepo({ as: 'grace', owner, name: 'website', description: 'What the world sees', language: 'TypeScript' });
  world.createRepo({ as: 'ada', owner, name: 'vault', description: 'Keys and plans', private: true });
  world.createRepo({ as: 'linus', owner: 'linus', name: 'notes', description: 'A guest’s own notes' });
  world.setCollaborator({ repo: 'acme/website', login: 'linus', level: 'write' });
  world.addWatcher({ repo: 'acme/website', login: 'linus' });
  for (const repo of ['acme/engine', 'acme/website', 'acme/vault']) {
    world.addLabel({ repo, name: 'bug', color: 'd73a4a' });
    world.addLabel({ repo, name: 'feature', color: '0e8a16' });
    world.addLabel({ repo, name: 'docs', color: '0075ca' });
    world.addLabel({ repo, name: 'urgent', color: 'b60205' });
  }
}
