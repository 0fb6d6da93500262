import { operation } from '../operation.js';
import { Package } from '../schemas/package.js';

export const packages = {
  get: operation({
    route: 'GET /packages/{owner}/{type}/{name}/{version}',
    scope: ['package'],
    effect: 'read',
    answer: Package,
    failures: ['unauthorized', 'forbidden', 'notFound'],
    since: '1.17',
  }),
} as const;
