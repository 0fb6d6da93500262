import { z } from 'zod';
import { operation } from '../operation.js';
import { Activity, PoorerActivity } from '../schemas/activity.js';
import { Day, paging } from './input.js';

export const activity = {
  userFeed: operation({
    route: 'GET /users/{username}/activities/feeds',
    scope: ['user'],
    effect: 'read',
    query: z.strictObject({ 'only-performed-by': z.boolean().optional(), date: Day.optional(), ...paging }),
    list: { item: Activity, poorer: PoorerActivity },
    failures: ['notFound'],
    since: '1.20',
  }),
  repoFeed: operation({
    route: 'GET /repos/{owner}/{repo}/activities/feeds',
    effect: 'read',
    query: z.strictObject({ date: Day.optional(), ...paging }),
    list: { item: Activity, poorer: PoorerActivity },
    failures: ['notFound'],
    since: '1.20',
  }),
} as const;
