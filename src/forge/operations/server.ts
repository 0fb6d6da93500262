import { operation } from '../operation.js';
import { ApiSettings, ServerVersion } from '../schemas/server.js';

export const server = {
  version: operation({
    route: 'GET /version',
    effect: 'read',
    answer: ServerVersion,
    failures: ['forbidden'],
    beyond: true,
  }),
  settings: operation({
    route: 'GET /settings/api',
    effect: 'read',
    answer: ApiSettings,
    failures: ['forbidden', 'notFound'],
    beyond: true,
  }),
} as const;
