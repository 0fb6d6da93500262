import { showDuration } from '../../duration.js';
import type { Reminder } from '../../store/index.js';

/** `daily at 09:30 (Europe/Berlin) · older than 2 d · labels bug, not wip · drafts too` */
export function reminderWords(reminder: Reminder): string[] {
  const { days, time, zone, olderThan, labels, without, drafts, repositories, personal, report, bots } = reminder;
  const named = repositories.map(({ owner, name }) => `${owner}/${name}`).join(', ');
  return [
    `${days.join(', ')} at ${time} (${zone})`,
    report !== undefined
      ? `report about reviews in ${report}`
      : personal
        ? 'your review requests'
        : named || 'this channel’s subscriptions',
    ...(olderThan === undefined ? [] : [`older than ${showDuration(olderThan)}`]),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(', ')}`]),
    ...(without.length === 0 ? [] : [`not ${without.join(', ')}`]),
    ...(drafts ? ['drafts too'] : []),
    ...(bots ? ['pull requests of bots'] : []),
  ];
}
