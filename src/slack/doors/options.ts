import { LRUCache } from 'lru-cache';
import { credentialOf } from '../../chat/credential.js';
import type { OptionSource } from '../../chat/field.js';
import { chosenRepository, optionSourceOf } from '../../chat/form/ids.js';
import { fullName } from '../../chat/references.js';
import { within } from '../../deadline.js';
import { allIn } from '../../domain/subscriptions/titles.js';
import { optionList } from '../../view/inputs.js';
import { type DoorDeps, personOf } from '../door-deps.js';
import { readSignedMeta } from '../form-meta.js';
import type { BlockSuggestion, OptionList } from '../payloads.js';
import type { Asking, Choice } from './asking.js';
import { pickers } from './pickers.js';

/** Slack waits three seconds for options and ignores later answers. */
const deadlineMs = 2_500;
const cacheMs = 60_000;
const longest = 200;

/** Caches are per person: nobody is offered what only someone else may see. */
export function createOptions(deps: DoorDeps) {
  const cache = new LRUCache<string, Promise<readonly Choice[]>>({ max: 2_000, ttl: cacheMs });

  const fromForge = async (
    payload: BlockSuggestion,
    source: Exclude<OptionSource, 'subscriptions'>,
    typed: string,
  ): Promise<readonly Choice[]> => {
    const person = personOf(deps, payload.user.id);
    const repo = await repositoryOf(deps, payload);
    const { searches, ask } = pickers[source];
    const asked = searches({ repo }) ? typed : '';
    const key = [person.user, source, repo ? fullName(repo) : '', asked].join('\n');
    let pending = cache.get(key);
    if (!pending) {
      pending = reading(deps, person, (api) => ask({ api, typed: asked, repo, webUrl: deps.services.forge.web }));
      cache.set(key, pending);
      pending.catch(() => cache.delete(key));
    }
    const choices = await pending;
    return asked === typed ? choices : choices.filter(contains(typed.replace(/^@/, '')));
  };

  return async (payload: BlockSuggestion): Promise<OptionList> => {
    const source = optionSourceOf(payload.action_id);
    if (!source) return { options: [] };
    const typed = payload.value.trim().slice(0, longest);
    const asking = source === 'subscriptions' ? subscribed(deps, payload, typed) : fromForge(payload, source, typed);
    const choices = await within(deadlineMs, asking, 'too slow').catch((error: unknown) => {
      deps.services.log.debug({ source, reason: String(error) }, 'no options in time');
      return [];
    });
    // a truncated name would be a different one: values that Slack cannot carry are left out
    return { options: optionList(choices.map(({ text, value }) => ({ label: text, value }))) };
  };
}

const contains = (words: string) => {
  const wanted = words.toLowerCase();
  return ({ text }: Choice) => text.toLowerCase().includes(wanted);
};

async function reading(
  deps: DoorDeps,
  person: { team: string; user: string },
  use: (api: Asking['api']) => Promise<readonly Choice[]>,
): Promise<readonly Choice[]> {
  const credential = await credentialOf(deps.services, person);
  return use(deps.services.forge.as(credential ?? { kind: 'anonymous' }));
}

/** The subscriptions of the channel in which the form was opened. */
async function subscribed(deps: DoorDeps, payload: BlockSuggestion, typed: string): Promise<readonly Choice[]> {
  const meta = metaOf(deps, payload);
  if (meta?.channel === undefined) return [];
  const all = await allIn({ team: deps.team, channel: meta.channel }, deps.services.store);
  return all.map(({ title }) => ({ text: title, value: title })).filter(contains(typed));
}

const metaOf = (deps: DoorDeps, { view, user }: BlockSuggestion) =>
  readSignedMeta(view?.private_metadata ?? '', deps.services.store.seal, personOf(deps, user.id));

/** The repository chosen in the same form, the one it was opened for, or the channel's own. */
async function repositoryOf(deps: DoorDeps, payload: BlockSuggestion): Promise<Asking['repo']> {
  const chosen = chosenRepository(payload.view?.state?.values, deps.services.forge.web);
  const meta = metaOf(deps, payload);
  if (chosen ?? meta?.about) return chosen ?? meta?.about;
  if (meta?.channel === undefined) return undefined;
  const own = await deps.services.store.channels.defaultRepository({ team: deps.team, channel: meta.channel });
  return own && { owner: own.owner, repo: own.name };
}
