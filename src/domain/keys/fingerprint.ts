import { createHash } from 'node:crypto';

/** `SHA256:…`, as the forge and ssh-keygen write it. */
export function fingerprintOf(publicKey: string): string {
  const [, base64 = ''] = publicKey.trim().split(/\s+/);
  const hash = createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64');
  return `SHA256:${hash.replace(/=+$/, '')}`;
}
