import type { AuditEntry } from '../store/index.js';

type Value = AuditEntry['args'][string];

/** `acme/engine#12` for what names a thing, plain words for the rest. */
function shown(value: Value | undefined): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.map(shown).join(',');
  const { owner, repo, name, index, run, id } = value;
  const place = repo ?? name;
  if (typeof owner !== 'string' || typeof place !== 'string') return Object.values(value).map(shown).join(' ');
  const number = index ?? run ?? id;
  return number === undefined ? `${owner}/${place}` : `${owner}/${place}#${shown(number)}`;
}

/** What was asked on one line; secrets were left out before it was written down. */
export function auditLine({ command, args }: AuditEntry): string {
  return [command, ...Object.values(args).map(shown)].join(' ').replace(/\s+/g, ' ').trim();
}
