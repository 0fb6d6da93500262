import type { CommandList, Group } from './catalogue.js';

interface Topic {
  readonly name: string;
  readonly title: string;
  /** First words of the commands in it. */
  readonly nouns: readonly string[];
}

/** What people look for, in the order of the menu; a noun that is in none comes last. */
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

/** A group of commands with a name for people. */
export interface TopicGroup extends Group {
  readonly title: string;
}

const inTopic = (topic: Topic, { groups }: Pick<CommandList, 'groups'>): TopicGroup => ({
  noun: topic.name,
  title: topic.title,
  commands: groups.filter(({ noun }) => topic.nouns.includes(noun)).flatMap(({ commands }) => commands),
});

/** Every command is in one of them. */
export function topicsOf(catalogue: Pick<CommandList, 'groups'>): readonly TopicGroup[] {
  const nouns = new Set(known.flatMap((topic) => topic.nouns));
  const rest = catalogue.groups.map(({ noun }) => noun).filter((noun) => !nouns.has(noun));
  const more: Topic = { name: 'more', title: 'More', nouns: rest };
  return [...known, more].map((topic) => inTopic(topic, catalogue)).filter(({ commands }) => commands.length > 0);
}

export const topicNamed = (name: string, catalogue: Pick<CommandList, 'groups'>): TopicGroup | undefined =>
  topicsOf(catalogue).find(({ noun }) => noun === name.toLowerCase());
