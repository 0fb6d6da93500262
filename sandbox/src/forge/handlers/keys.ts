import { created, invalid } from '../http/answer.js';
import type { Handlers } from '../http/call.js';
import { mustAdminister, repoOf, signedIn } from '../http/guard.js';
import { list } from '../http/paging.js';
import { keyJson } from '../render/records.js';
import type { Key } from '../state/records.js';
import type { State } from '../state/state.js';
import { readKey } from './ssh-key.js';

function add(state: State, key: Omit<Key, 'id' | 'created'>): Key {
  const made: Key = { ...key, id: state.nextId('key'), created: state.now() };
  state.keys.set(made.id, made);
  return made;
}

/** A person's key cannot be used by anyone else; a deploy key can serve several repositories. */
function mustBeUnused(state: State, fingerprint: string, asPersons: boolean): void {
  const taken = [...state.keys.values()].some(
    (key) => key.fingerprint === fingerprint && (asPersons || 'user' in key.home),
  );
  if (taken) throw invalid('Key content has been used as non-deploy key');
}

export const keys = {
  listDeploy: (call) => {
    const repo = repoOf(call);
    mustAdminister(call, repo);
    const id = call.query.number('key_id');
    const fingerprint = call.query.text('fingerprint');
    const found = [...call.state.keys.values()].filter(
      (key) =>
        'repo' in key.home &&
        key.home.repo === repo &&
        (id === undefined || key.id === id) &&
        (fingerprint === undefined || key.fingerprint === fingerprint),
    );
    return list(call, found, (key) => keyJson(call.view, key), { link: false });
  },

  addDeploy: (call) => {
    const { state, view } = call;
    const repo = repoOf(call);
    mustAdminister(call, repo);
    const body = call.body();
    const title = body.requiredText('title');
    const { content, fingerprint } = readKey(body.requiredText('key'));
    const ofRepo = [...state.keys.values()].filter((key) => 'repo' in key.home && key.home.repo === repo);
    if (ofRepo.some((key) => key.fingerprint === fingerprint)) {
      throw invalid('This key has already been added to this repository');
    }
    mustBeUnused(state, fingerprint, false);
    if (ofRepo.some((key) => key.title === title)) throw invalid('A key with the same name already exists');
    const readOnly = body.flag('read_only') ?? false;
    return created(keyJson(view, add(state, { home: { repo }, title, content, fingerprint, readOnly })));
  },

  listMine: (call) => {
    const user = signedIn(call);
    const fingerprint = call.query.text('fingerprint');
    const found = [...call.state.keys.values()].filter(
      (key) =>
        'user' in key.home && key.home.user === user && (fingerprint === undefined || key.fingerprint === fingerprint),
    );
    return list(call, found, (key) => keyJson(call.view, key));
  },

  addMine: (call) => {
    const { state, view } = call;
    const user = signedIn(call);
    const body = call.body();
    const title = body.requiredText('title');
    const { content, fingerprint } = readKey(body.requiredText('key'));
    mustBeUnused(state, fingerprint, true);
    return created(keyJson(view, add(state, { home: { user }, title, content, fingerprint, readOnly: false })));
  },
} satisfies Handlers['keys'];
