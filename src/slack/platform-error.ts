import { ErrorCode } from '@slack/web-api';

/** Slack's error code, such as `channel_not_found`. */
export function platformError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== ErrorCode.PlatformError) return undefined;
  const data: unknown = 'data' in error ? error.data : undefined;
  if (typeof data !== 'object' || data === null || !('error' in data)) return undefined;
  return typeof data.error === 'string' ? data.error : undefined;
}

/** Slack's error codes for temporary problems. */
export const transientCodes: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
]);
