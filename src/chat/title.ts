import type { AnyCommand } from './command.js';

type Named = Pick<AnyCommand, 'name' | 'title' | 'form'>;

/** The noun for the first word of a name, singular and plural. */
const nouns: Readonly<Record<string, readonly [one: string, several: string]>> = {
  agents: ['agent', 'agents'],
  cron: ['scheduled task', 'scheduled tasks'],
  hook: ['webhook', 'webhooks'],
  key: ['deploy key', 'deploy keys'],
  pr: ['pull request', 'pull requests'],
  remind: ['reminder', 'reminders'],
  repo: ['repository', 'repositories'],
  subscribe: ['subscription', 'subscriptions'],
};

/** The form's title: `issue close` → `Close issue`. */
export function titleOf({ name, title }: Named): string {
  const [first = '', ...rest] = name.split(' ');
  const verb = rest.join(' ').replaceAll('-', ' ');
  const [one, several] = nouns[first] ?? [first, `${first}s`];
  const words = [verb, /^(list|search)$/.test(verb) ? several : one].filter(Boolean).join(' ');
  return title ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The label of its submit button: what happens. */
export const submitOf = (command: Named): string =>
  command.form?.submit ?? (command.name.endsWith(' edit') ? 'Save changes' : titleOf(command));
