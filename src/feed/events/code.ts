import { count } from '../../view/look.js';
import { join, link, type Mrkdwn, md, code as mono } from '../../view/text.js';
import type { Event, EventOf, Push } from '../event.js';
import { actor, type Renderer, repo, type Telling } from './telling.js';

const shown = 5;

const commits = (event: Event, push: Push): Mrkdwn[] => {
  const rest = push.total - Math.min(push.commits.length, shown);
  return [
    ...push.commits.slice(0, shown).map(({ sha, message, author }) => {
      const page = link(`${event.repo.url}/commit/${encodeURIComponent(sha)}`, sha.slice(0, 8) || 'commit');
      return join([page, message, author ? `– ${author}` : undefined], ' ');
    }),
    ...(rest > 0 && push.commits.length > 0
      ? [push.compareUrl ? md`${link(push.compareUrl, `and ${rest} more`)}` : md`and ${rest} more`]
      : []),
  ];
};

const pushed =
  (who: (event: Event) => Mrkdwn) =>
  (event: EventOf<'commits:pushed' | 'mirrors:pushed'>): Telling => {
    const { push } = event;
    const amount = push.total > 0 ? count(push.total, 'commit') : 'commits';
    const branch = link(event.item.url, push.branch || 'a branch');
    if (event.created && push.total === 0 && push.commits.length === 0)
      return { says: md`${who(event)} created branch`, subject: branch, facts: [repo(event)] };
    return {
      says: md`${who(event)} pushed`,
      subject: md`${push.compareUrl ? link(push.compareUrl, amount) : amount} to ${event.created ? md`the new branch ${branch}` : branch}`,
      facts: [repo(event)],
      notes: commits(event, push),
    };
  };

type RefKind =
  | 'branches:created'
  | 'branches:deleted'
  | 'tags:created'
  | 'tags:deleted'
  | 'mirrors:created'
  | 'mirrors:deleted';

const ref =
  (who: (event: Event) => Mrkdwn, verb: string, noun?: string) =>
  (event: EventOf<RefKind>): Telling => {
    const gone = event.kind.endsWith(':deleted');
    return {
      says: md`${who(event)} ${verb} ${noun ?? event.item.kind}`,
      subject: gone ? mono(event.ref || 'unnamed') : link(event.item.url, event.ref || 'unnamed'),
      facts: [repo(event)],
    };
  };

const mirror = (): Mrkdwn => md`Mirror sync`;

const released: Renderer<'releases:published'> = (event) => ({
  says: md`${actor(event)} published release`,
  subject: link(event.item.url, event.item.title ?? event.tag),
  facts: [repo(event), event.tag === event.item.title ? undefined : mono(event.tag)],
});

export const code = {
  'commits:pushed': pushed(actor),
  'mirrors:pushed': pushed(mirror),
  'branches:created': ref(actor, 'created', 'branch'),
  'branches:deleted': ref(actor, 'deleted', 'branch'),
  'tags:created': ref(actor, 'pushed', 'tag'),
  'tags:deleted': ref(actor, 'deleted', 'tag'),
  'mirrors:created': ref(mirror, 'created'),
  'mirrors:deleted': ref(mirror, 'deleted'),
  'releases:published': released,
};
