import { createHash } from 'node:crypto';
import { invalid } from '../http/answer.js';

const kinds =
  /^(ssh-(ed25519|rsa|dss)|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)$/;

const badContent = (why: string) =>
  invalid(`Invalid key content: extractTypeFromBase64Key: invalid key format: ${why}`);

/** An OpenSSH public key; its fingerprint is the SHA-256 of the blob, unpadded. */
export function readKey(text: string): { content: string; fingerprint: string } {
  const content = text.trim();
  const parts = content.split(/\s+/);
  const kind = parts.length > 1 ? (parts[0] ?? '') : '';
  const encoded = (parts.length > 1 ? parts[1] : parts[0]) ?? '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || encoded.length % 4 !== 0) {
    throw badContent(`illegal base64 data at input byte ${Math.min(4, encoded.length)}`);
  }
  const blob = Buffer.from(encoded, 'base64');
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  const inside = blob.subarray(4, 4 + length).toString('latin1');
  if (!kinds.test(inside) || (kind !== '' && kind !== inside)) throw badContent('not enough length or wrong type');
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
  return { content, fingerprint: `SHA256:${digest}` };
}
