import { z } from 'zod';
import { operation } from '../operation.js';
import { NotificationCount, NotificationStatus, NotificationThread } from '../schemas/notification.js';
import { maybe } from '../schemas/scalar.js';
import { Moment, paging } from './input.js';

const marking = z.strictObject({
  last_read_at: Moment.optional(),
  all: z.boolean().optional(),
  'status-types': z.array(NotificationStatus).optional(),
  'to-status': NotificationStatus.optional(),
});

export const notifications = {
  /** 205 with a body that a proxy may drop: then undefined, and the thread must be read again. */
  markThread: operation({
    route: 'PATCH /notifications/threads/{id}',
    scope: ['notification'],
    effect: 'idempotent',
    query: z.strictObject({ 'to-status': NotificationStatus.optional() }),
    answer: maybe(NotificationThread),
    failures: ['forbidden', 'notFound', 'rejected'],
  }),
  /** Every selected thread, unpaged; changes `updated_at` of each, so it is no way to list them. */
  markAll: operation({
    route: 'PUT /notifications',
    scope: ['notification'],
    effect: 'idempotent',
    query: marking,
    answer: maybe(z.array(NotificationThread)),
    failures: ['invalid', 'forbidden'],
  }),
  /** The same for one repository. */
  markRepo: operation({
    route: 'PUT /repos/{owner}/{repo}/notifications',
    scope: ['notification'],
    effect: 'idempotent',
    query: marking,
    answer: maybe(z.array(NotificationThread)),
    failures: ['invalid', 'forbidden', 'notFound'],
    beyond: true,
  }),
  list: operation({
    route: 'GET /notifications',
    scope: ['notification'],
    effect: 'read',
    query: z.strictObject({
      all: z.boolean().optional(),
      'status-types': z.array(NotificationStatus).optional(),
      'subject-type': z.array(z.enum(['issue', 'pull', 'commit', 'repository'])).optional(),
      since: Moment.optional(),
      before: Moment.optional(),
      ...paging,
    }),
    list: { item: NotificationThread },
    failures: ['forbidden', 'invalid'],
    beyond: true,
  }),
  getThread: operation({
    route: 'GET /notifications/threads/{id}',
    scope: ['notification'],
    effect: 'read',
    answer: NotificationThread,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
  countNew: operation({
    route: 'GET /notifications/new',
    scope: ['notification'],
    effect: 'read',
    answer: NotificationCount,
    failures: ['forbidden'],
    beyond: true,
  }),
} as const;
