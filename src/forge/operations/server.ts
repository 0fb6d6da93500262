import { operation } from '../operation.js';
import { ApiSettings, ServerVersion } from '../schemas/server.js';

export const server = {
  version: operation({
    route: 'GET /version',
    scope: [],
    effect: 'read',
    answer: ServerVersion,
    failures: ['forbidden'],
    beyond: true,
  }),
  settings: operation({
    route: 'GET /settings/api',
    scope: [],
    effect: 'read',
    answer: ApiSettings,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
} as const;
