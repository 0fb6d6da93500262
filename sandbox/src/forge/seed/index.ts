import { createUser } from '../acts/people.js';
import type { ForgeOptions } from '../options.js';
import type { State } from '../state/state.js';
import type { World } from '../world/index.js';
import { seedActions, seedCron } from './actions.js';
import { passwordOf, seedPeople, seedRepos } from './people.js';
import { work } from './work.js';
import { seedWorkflows } from './workflows.js';

const day = 86_400;
const upgradedDaysAgo = 12;

/** A month of a small organization, ending now. */
function organization(state: State, world: World): void {
  const now = state.now();
  state.at(now - 40 * day, () => seedPeople(state, world));
  state.at(now - 30 * day, () => seedRepos(world));
  const form = state.site.rowForm;
  for (const [days, act] of work) {
    // An upgrade some days ago: earlier rows keep their form.
    state.site.rowForm = days > upgradedDaysAgo ? 'piped' : form;
    state.at(now - days * day, () => act(world));
  }
  seedWorkflows(world);
  seedActions(state, world, now);
  state.at(now - 6 * day, () => {
    world.createProject({ as: 'ada', repo: 'acme/engine', title: 'Road to 1.0', template: 'basic_kanban' });
    world.createProject({ as: 'grace', title: 'My week', template: 'basic_kanban' });
    world.publishPackage({
      as: 'ada',
      owner: 'acme',
      repo: 'acme/engine',
      type: 'generic',
      name: 'engine',
      version: '0.9',
    });
  });
}

/** An empty forge still has its first admin. */
function empty(state: State): void {
  createUser(state, { login: 'ada', fullName: 'Ada', admin: true, password: passwordOf('ada') });
}

export function seed(state: State, world: World, choice: ForgeOptions['seed'] = 'organization'): void {
  seedCron(state);
  if (choice === 'organization') organization(state, world);
  else if (choice === 'empty') empty(state);
  else choice(state, world);
}
