import { command } from '../chat/command.js';
import { optional, person } from '../chat/fields/index.js';
import { offset } from '../chat/fields/offset.js';
import { findPeople, peopleMessage } from '../domain/people.js';

export const people = command({
  name: 'people',
  title: 'Find people',
  summary: 'Show which Slack people and forge accounts belong together',
  examples: ['people', 'people ada'],
  fields: { person: optional(person({ label: 'Person' })), from: offset() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['users.get', 'users.search'],
  account: 'none',
  plan: () => [],
  run: findPeople,
  reply: peopleMessage,
});
