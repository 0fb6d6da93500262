import { date } from '../../chat/fields/index.js';
import type { Needed } from '../../chat/fields/make.js';

const future = date({ label: 'Due date' });
const anyDay = date({ label: 'Due date', past: true });

/** Words mean future days; a full date may be in the past, such as an overdue one in a form. */
export function dueDate(): Needed<string> {
  const written = /^\s*\d{4}-\d{2}-\d{2}\s*$/;
  return { ...future, read: (text, reading) => (written.test(text) ? anyDay : future).read(text, reading) };
}

/** The forge stores the last second of the day. */
export const endOfDay = (day: string) => `${day}T23:59:59Z`;
