const mask = '•••';
const userInAddress = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;
const hiddenUser = `$1${mask}@`;

/** `secrets` are names at any depth (`auth_token`) or dotted paths (`config.secret`). */
export function maskFields(value: unknown, secrets: readonly string[]): unknown {
  return masked(value, secrets, '');
}

function masked(value: unknown, secrets: readonly string[], at: string): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, secrets, at));
  if (typeof value === 'string') return value.replace(userInAddress, hiddenUser);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const path = at === '' ? key : `${at}.${key}`;
      return [key, isSecret(key, path, secrets) && inner !== undefined ? mask : masked(inner, secrets, path)];
    }),
  );
}

function isSecret(key: string, path: string, secrets: readonly string[]): boolean {
  return secrets.includes(key) || secrets.includes(path);
}

/** The values themselves, so that a server repeating them in its message reveals nothing. */
export function secretValues(value: unknown, secrets: readonly string[], at = ''): readonly string[] {
  if (secrets.length === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => secretValues(item, secrets, at));
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = at === '' ? key : `${at}.${key}`;
    return isSecret(key, path, secrets) ? strings(inner) : secretValues(inner, secrets, path);
  });
}

function strings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}

/** Shorter ones would mask ordinary letters of the message. */
const shortestSecret = 3;

export function scrub(text: string, secrets: readonly string[]): string {
  let clean = text.replace(userInAddress, hiddenUser);
  for (const secret of secrets) {
    if (secret.length < shortestSecret) continue;
    for (const form of forms(secret)) clean = clean.replaceAll(form, mask);
  }
  return clean;
}

function forms(secret: string): readonly string[] {
  const encoded = new URLSearchParams({ s: secret }).toString().slice(2);
  return [secret, encoded, JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('base64')];
}

const tokens =
  /\b(?:gh[pousr]_|github_pat_|gto_|glpat-|xox[abeprs]-|xapp-|bwa_)[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g;
const authorization = /\b(bearer |authorization["']?[:=] ?["']?(?:basic|token|bearer) )[\w.~+/=-]{8,}/gi;
const assigned =
  /((?:password|passwd|secret|token|api_?key|access_?key)["']?(?:=|: ?(?=["'])))("[^"]*"?|'[^']*'?|[^\s"'&;,]+)/gi;
const keyBegins = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/;
const keyEnds = /-----END [A-Z ]{0,40}PRIVATE KEY/;

/** What looks like a secret, in lines that more people read than those who may see the log. */
export function maskSecrets(lines: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let inKey = false;
  for (const line of lines) {
    const ends = keyEnds.test(line);
    // the text may start inside a key
    if (ends && !inKey) while (/^\s*[\w+/=]{16,}$/.test(shown.at(-1) ?? '')) shown.pop();
    if (keyBegins.test(line) || (ends && !inKey)) shown.push(mask);
    else if (!inKey)
      shown.push(line.replace(tokens, mask).replace(authorization, `$1${mask}`).replace(assigned, `$1${mask}`));
    inKey = !ends && (inKey || keyBegins.test(line));
  }
  return shown;
}
