import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Values under these names never reach a log line, in any process. */
export const redactedNames = [
  'authorization',
  'credential',
  'password',
  'auth_password',
  'auth_token',
  'auth_username',
  'aws_access_key_id',
  'aws_secret_access_key',
  'cloud_access_key_id',
  'cloud_secret_access_key',
  'secret',
  'token',
  'sha1',
  'key',
  'botToken',
  'appToken',
  'signingSecret',
  'authorization_header',
  'response_url',
  'responseUrl',
] as const;

const redactedPaths = redactedNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]);

export function createLog(options: { level: string; destination?: DestinationStream }): Log {
  const settings = {
    level: options.level,
    redact: { paths: redactedPaths, censor: '[redacted]' },
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

/** Binds who and what to every line logged with it. */
export function scopeLog(
  log: Log,
  about: { operation?: string; team?: string; user?: string; channel?: string; job?: string; command?: string },
): Log {
  return log.child(about);
}

const warned = new WeakMap<Log, Map<string, { at: number; left: number }>>();
const seldomMs = 60_000;

/** For repeating problems: one line a minute per subject, with the number left out. */
export function warnSeldom(log: Log, subject: string, about: object, words: string): void {
  const subjects = warned.get(log) ?? new Map<string, { at: number; left: number }>();
  warned.set(log, subjects);
  const now = performance.now();
  const last = subjects.get(subject);
  if (last && now - last.at < seldomMs) {
    last.left += 1;
    return;
  }
  subjects.set(subject, { at: now, left: 0 });
  log.warn({ ...about, ...(last && last.left > 0 && { repeated: last.left }) }, words);
}
