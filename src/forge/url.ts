import { UserError } from '../errors.js';

const example = 'write it as in the browser, for example https://git.example.org or https://example.org/git';

/** The forge's root without trailing slash and /api/v1, from whatever people paste. */
export function normalizeForgeUrl(text: string): string {
  const given = text.trim();
  if (given === '') throw new UserError(`The forge address is empty: ${example}.`);
  if (!/^https?:\/\//i.test(given)) {
    throw new UserError(`The forge address must start with http:// or https://: ${example}.`);
  }
  if (!URL.canParse(given)) throw new UserError(`The forge address is not a web address: ${example}.`);
  const url = new URL(given);
  if (url.username !== '' || url.password !== '') {
    throw new UserError('The forge address must not contain a user name or password: put the token in FORGE_TOKEN.');
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(given)) {
    throw new UserError(`The forge address must end before "?" and "#": ${example}.`);
  }
  const path = url.pathname
    .replace(/\/+$/, '')
    .replace(/\/api\/v1$/, '')
    .replace(/\/+$/, '');
  if (path.includes('//') || /\/api\/v1(\/|$)/.test(path)) {
    throw new UserError(`The path of the forge address is too long: ${example}.`);
  }
  return `${url.origin}${path}`;
}
