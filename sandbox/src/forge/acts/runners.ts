import { createHash } from 'node:crypto';
import { isDone, type Runner } from '../state/actions.js';
import { changed, type State } from '../state/state.js';

export interface NewRunner {
  readonly name: string;
  readonly labels?: readonly string[];
  readonly online?: boolean;
  readonly disabled?: boolean;
  readonly ephemeral?: boolean;
  readonly confirms?: boolean;
  readonly external?: boolean;
}

const digest = (text: string): string => createHash('sha1').update(text).digest('hex');

export function addRunner(state: State, what: NewRunner): Runner {
  const id = state.nextId('runner');
  const raw = digest(`runner ${id} ${what.name}`);
  const runner: Runner = {
    id,
    name: what.name,
    uuid: `${raw.slice(0, 8)}-${raw.slice(8, 12)}-4${raw.slice(13, 16)}-a${raw.slice(17, 20)}-${raw.slice(20, 32)}`,
    token: digest(`token of runner ${id} ${what.name}`),
    online: what.online ?? true,
    disabled: what.disabled ?? false,
    ephemeral: what.ephemeral ?? false,
    labels: [...(what.labels ?? ['ubuntu-latest'])],
    confirms: what.confirms ?? true,
    external: what.external ?? false,
  };
  state.runners.set(id, runner);
  changed(state, 'runner');
  return runner;
}

export function setRunner(state: State, runner: Runner, switches: { online?: boolean; disabled?: boolean }): void {
  runner.online = switches.online ?? runner.online;
  runner.disabled = switches.disabled ?? runner.disabled;
  changed(state, 'runner');
}

/** Its unfinished jobs stay as they are: that is how runs get stuck. */
export function removeRunner(state: State, runner: Runner): void {
  state.runners.delete(runner.id);
  for (const job of state.jobs.values()) {
    if (job.runner === runner && !isDone(job.status)) job.run.stuck = true;
  }
  runner.online = false;
  changed(state, 'runner');
}

/** The same until someone registers: repeated calls return the same one. */
export function registrationToken(state: State): string {
  state.site.registrationToken ??= digest(`registration ${state.nextId('registration')}`);
  return state.site.registrationToken;
}
