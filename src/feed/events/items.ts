import { code, md } from '../../view/text.js';
import type { Event } from '../event.js';
import { quoted } from './talk.js';
import { actor, itemFacts, numbered, type Renderer, type Scene, type Telling } from './telling.js';

/** Letters of a description. */
export const excerptMax = 200;

const acted =
  (verb: string, noun: string) =>
  (event: Event, scene: Scene): Telling => ({
    says: md`${actor(event)} ${verb} ${noun}`,
    subject: numbered(event, scene),
    facts: itemFacts(event, scene),
  });

/** With the first words of what was opened. */
const opened =
  (noun: string) =>
  (event: Event, scene: Scene): Telling => ({
    ...acted('opened', noun)(event, scene),
    notes: quoted(scene.standing.item?.excerpt ?? '', excerptMax),
  });

/** Search results do not say who added the label. */
const labeled =
  (noun: string) =>
  (event: Event & { readonly label?: string }, scene: Scene): Telling => ({
    says: event.label ? md`Labeled ${code(event.label)}: ${noun}` : md`A label was added to ${noun}`,
    subject: numbered(event, scene),
    facts: itemFacts(event, scene),
  });

const merged: Renderer<'pulls:merged'> = (event, scene) => ({
  says: event.auto ? md`${actor(event)} auto-merged pull request` : md`${actor(event)} merged pull request`,
  subject: event.push ? md`${numbered(event, scene)} into ${code(event.push.branch)}` : numbered(event, scene),
  facts: itemFacts(event, scene),
});

const ready: Renderer<'pulls:ready'> = (event, scene) => ({
  says: md`Ready for review: pull request`,
  subject: numbered(event, scene),
  facts: itemFacts(event, scene),
});

export const items = {
  'issues:opened': opened('issue'),
  'issues:closed': acted('closed', 'issue'),
  'issues:reopened': acted('reopened', 'issue'),
  'issues:labeled': labeled('issue'),
  'pulls:opened': opened('pull request'),
  'pulls:closed': acted('closed', 'pull request'),
  'pulls:reopened': acted('reopened', 'pull request'),
  'pulls:labeled': labeled('pull request'),
  'pulls:merged': merged,
  'pulls:ready': ready,
};
