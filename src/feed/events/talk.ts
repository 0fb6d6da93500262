import { prettyBody } from '../../view/body.js';
import { count } from '../../view/look.js';
import { md, quote, type Value } from '../../view/text.js';
import type { Event, EventOf } from '../event.js';
import type { Kind } from '../kind.js';
import { actor, itemFacts, numbered, type Renderer, type Scene, type Telling } from './telling.js';

export const quoted = (text: string, max = 400): Value[] => {
  const shown = prettyBody(text, max);
  return shown === '' ? [] : [quote(shown)];
};

const commented =
  (noun: string) =>
  (event: Event & { readonly text: string }, scene: Scene): Telling => ({
    says: md`${actor(event)} commented on ${noun}`,
    subject: numbered(event, scene),
    facts: itemFacts(event, scene),
    notes: quoted(event.text),
  });

type Review = EventOf<Extract<Kind, `reviews:${string}`>>;

/** A verdict matters to the author; the reviewer knows it. */
const author = ({ standing, who }: Scene) => (standing.item?.author ? who(standing.item.author.login) : undefined);

const verdict =
  (verb: string) =>
  (event: Review, scene: Scene): Telling => {
    const of = author(scene);
    return {
      says: of ? md`${actor(event)} ${verb} ${of}’s pull request` : md`${actor(event)} ${verb} pull request`,
      subject:
        event.comments > 0
          ? md`${numbered(event, scene)} with ${count(event.comments, 'comment')}`
          : numbered(event, scene),
      facts: itemFacts(event, scene),
      notes: quoted(event.text),
    };
  };

const dismissed: Renderer<'reviews:dismissed'> = (event, scene) => ({
  says: event.reviewer
    ? md`${actor(event)} dismissed ${scene.who(event.reviewer)}’s review of`
    : md`${actor(event)} dismissed a review on`,
  subject: numbered(event, scene),
  facts: itemFacts(event, scene),
  notes: quoted(event.text),
});

export const talk = {
  'comments:issue': commented('issue'),
  'comments:pull': commented('pull request'),
  'reviews:approved': verdict('approved'),
  'reviews:rejected': verdict('requested changes on'),
  'reviews:commented': verdict('reviewed'),
  'reviews:dismissed': dismissed,
};
