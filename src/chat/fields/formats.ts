import { z } from 'zod';
import { UserError } from '../../errors.js';
import { type Needed, plainField, type Words } from './make.js';

const colorForm = /^#?([0-9a-f]{6})$/i;

/** `#rrggbb` */
export function color(words: Words = {}): Needed<string> {
  return plainField(words, {
    label: 'Color',
    placeholder: '#rrggbb',
    input: { kind: 'text', max: 7 },
    schema: z.string().regex(/^#[0-9a-f]{6}$/),
    read: (text) => {
      const [, digits] = colorForm.exec(text.trim()) ?? [];
      if (digits === undefined) throw new UserError('Write the color as #rrggbb, such as #1d76db.');
      return `#${digits.toLowerCase()}`;
    },
    show: (value) => value,
  });
}

const addressMax = 2000;

/** A web address to clone from, without credentials. */
export function address(words: Words = {}): Needed<string> {
  return plainField(words, {
    label: 'Address',
    placeholder: 'https://example.org/owner/repo.git',
    input: { kind: 'text', max: addressMax },
    schema: z.string().min(1).max(addressMax),
    read: (text) => {
      const given = text.trim();
      if (given.length > addressMax || !/^https?:\/\/\S+$/i.test(given) || !URL.canParse(given)) {
        throw new UserError(
          'Write a web address that starts with https:// or http://, such as https://example.org/owner/repo.git.',
        );
      }
      const { username, password } = new URL(given);
      if (username !== '' || password !== '') {
        throw new UserError('Remove the user name and password from the address: the form asks for them separately.');
      }
      return given;
    },
    show: (value) => value,
  });
}

const keyForm =
  /^(ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)\s+([A-Za-z0-9+/]+={0,2})(?:\s+(.*))?$/;
const keyMax = 3000;

/** The key type inside the key must match its prefix. */
function holdsKind(kind: string, base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length > 4 + kind.length && bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString('latin1') === kind;
}

/** A public SSH key on one line. */
export function sshKey(words: Words = {}): Needed<string> {
  return plainField(words, {
    label: 'Public key',
    placeholder: 'ssh-ed25519 AAAA… comment',
    typed: 'rest',
    input: { kind: 'text', multiline: true, max: keyMax },
    schema: z.string().min(1).max(keyMax),
    read: (text) => {
      if (/PRIVATE KEY/.test(text)) {
        throw new UserError(
          'This is a private key and no longer secret: replace it. Paste the public key, from the file that ends in .pub.',
        );
      }
      const line = text.trim().replace(/\s+/g, ' ');
      const [, kind, base64] = keyForm.exec(line) ?? [];
      if (kind === undefined || base64 === undefined || line.length > keyMax || !holdsKind(kind, base64)) {
        throw new UserError(
          'This is not a public SSH key. Paste the whole line of the .pub file: ssh-ed25519 AAAA… comment.',
        );
      }
      return line;
    },
    show: (value) => value,
  });
}
