import type { CommandList, Group } from './catalog.js';

interface Topic {
  readonly name: string;
  readonly title: string;
  /** The first words of its commands. */
  readonly nouns: readonly string[];
}

/** What people look for, in menu order; nouns in none of them come last. */
const known: readonly Topic[] = [
  { name: 'issues', title: 'Issues', nouns: ['issue'] },
  { name: 'pulls', title: 'Pull requests', nouns: ['pr'] },
  { name: 'runs', title: 'Workflow runs', nouns: ['run', 'workflow', 'deploy'] },
  {
    name: 'subscriptions',
    title: 'Subscriptions',
    nouns: ['subscribe', 'unsubscribe', 'follow', 'unfollow', 'mute', 'unmute', 'why', 'status'],
  },
  { name: 'notifications', title: 'Notifications and reminders', nouns: ['todo', 'inbox', 'settings', 'remind'] },
  { name: 'repositories', title: 'Repositories', nouns: ['repo', 'feed', 'key', 'package'] },
  { name: 'projects', title: 'Projects', nouns: ['project'] },
  { name: 'account', title: 'Your account', nouns: ['signin', 'signout', 'whoami', 'people', 'agents'] },
  { name: 'admin', title: 'Administration', nouns: ['runner', 'cron', 'admin', 'hook', 'audit'] },
];

/** A group of commands with a readable name. */
export interface TopicGroup extends Group {
  readonly title: string;
}

const inTopic = (topic: Topic, { groups }: Pick<CommandList, 'groups'>): TopicGroup => ({
  noun: topic.name,
  title: topic.title,
  commands: groups.filter(({ noun }) => topic.nouns.includes(noun)).flatMap(({ commands }) => commands),
});

/** Every command is in exactly one. */
export function topicsOf(catalog: Pick<CommandList, 'groups'>): readonly TopicGroup[] {
  const nouns = new Set(known.flatMap((topic) => topic.nouns));
  const rest = catalog.groups.map(({ noun }) => noun).filter((noun) => !nouns.has(noun));
  const more: Topic = { name: 'more', title: 'More', nouns: rest };
  return [...known, more].map((topic) => inTopic(topic, catalog)).filter(({ commands }) => commands.length > 0);
}

export const topicNamed = (name: string, catalog: Pick<CommandList, 'groups'>): TopicGroup | undefined =>
  topicsOf(catalog).find(({ noun }) => noun === name.toLowerCase());
