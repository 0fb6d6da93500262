const mask = '•••';
const userInAddress = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#]+@/gi;
const hiddenUser = `$1${mask}@`;

/** `secrets` are names at any depth (`auth_token`) or dotted paths (`config.secret`); of `config.url/` the host is shown. */
export function maskFields(value: unknown, secrets: readonly string[]): unknown {
  return maskMembers(value, secrets, '');
}

function maskMembers(value: unknown, secrets: readonly string[], at: string): unknown {
  if (Array.isArray(value)) return value.map((item) => maskMembers(item, secrets, at));
  if (typeof value === 'string') return value.replace(userInAddress, hiddenUser);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const path = at === '' ? key : `${at}.${key}`;
      if (secrets.includes(`${path}/`)) return [key, hostOnly(inner)];
      return [key, isSecret(key, path, secrets) && inner !== undefined ? mask : maskMembers(inner, secrets, path)];
    }),
  );
}

function hostOnly(address: unknown): string {
  return typeof address === 'string' && URL.canParse(address) ? `${new URL(address).origin}/${mask}` : mask;
}

function isSecret(key: string, path: string, secrets: readonly string[]): boolean {
  return secrets.includes(key) || secrets.includes(path) || secrets.includes(`${path}/`);
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

const tokens = new RegExp(
  [
    String.raw`(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|gto_|gl(?:pat|dt|rt|cbt|ptt|ft|agent)-)[\w-]{10,}`,
    String.raw`(?<![A-Za-z0-9])(?:xox[abeprs]-|xapp-|bwa_|pypi-|dckr_pat_|[rs]k_live_|sk-(?=[\w-]{20}))[\w-]{10,}`,
    String.raw`(?<![A-Za-z0-9])(?:npm_[A-Za-z0-9]{36}|AIza[\w-]{35}|(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])`,
    String.raw`(?<=hooks\.slack\.com/)[\w/-]{10,}`,
    // JSON Web Tokens
    String.raw`\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,}\.?[\w-]*`,
  ].join('|'),
  'g',
);
const authorization = /\b(bearer |authorization["']?[:=] ?["']?(?:basic|token|bearer) )[\w.~+/=-]{8,}/gi;
const names = '(?:password|passwd|passphrase|secret|token|(?:api|access|private)[_-]?key)';
const value = String.raw`(?:\\?"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"']+)`;
const assigned = new RegExp(
  [
    String.raw`(${names}(?:\\?["'])?(?: ?:?=(?![=>]) ?|: ?(?=\\?["']))|--[\w-]{0,40}${names} )${value}`,
    // a line of YAML or a header
    String.raw`^([\s>*-]{0,20}["']?[\w.-]{0,60}${names}["']?: )\S+$`,
  ].join('|'),
  'gi',
);
const keyBegins = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/;
const keyEnds = /-----END [A-Z ]{0,40}PRIVATE KEY/;

/** What looks like a secret, in lines that more people read than those who may see the log. */
function maskSecrets(lines: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let inKey = false;
  for (const line of lines) {
    const ends = keyEnds.test(line);
    if (ends && !inKey && !keyBegins.test(line)) {
      // the text may start inside a key, whose last line may be short
      shown.pop();
      while (/(?:^|\s)[\w+/=]{16,}$/.test(shown.at(-1) ?? '')) shown.pop();
    }
    if (keyBegins.test(line) || (ends && !inKey)) shown.push(mask);
    else if (!inKey)
      shown.push(line.replace(tokens, mask).replace(authorization, `$1${mask}`).replace(assigned, `$1$2${mask}`));
    inKey = !ends && (inKey || keyBegins.test(line));
  }
  return shown;
}

/** The part of a job's log that says why it ended as it did. */
export interface LogExcerpt {
  /** If the log names it. */
  readonly step: string | undefined;
  /** Oldest first, without time, color and markers. */
  readonly lines: readonly string[];
  /** The failing step, or the log, has more before these. */
  readonly more: boolean;
}

const longestLine = 300;
// CSI and OSC sequences, and the two-character ones; every part is bounded, so that none can be slow.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const ansi = /\u001B(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\u0007\u001B]{0,1000}(?:\u0007|\u001B\\)|[@-_])/g;
const time = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z ?/;
const mark =
  /^(?:##\[(?:group|error|warning|command|debug|section)\]|::(?:error|warning|notice|debug|group)[^:\n]{0,300}::)/;
const adding = /::add-mask::(.{3,1000})$/;
const dropped = /^(?:##\[endgroup\]|::endgroup::|::add-mask::.*|)$/;
const begins = /^(?:⭐\s*)?Run (?:Main|Pre|Post) (.{1,200})$/u;
const failed = /^(?:❌\s*)?Failure - (?:Main|Pre|Post) (.{1,200})$/u;
/** Written by the runner after the failed step. */
const after =
  /^(?:exitcode '\d{1,3}': failure|(?:🏁\s*)?Job failed|skipping post step\b.*|Cleaning up\b.*|Evaluate and set job outputs)$/u;

const bare = (line: string) => line.replace(ansi, '').replace(time, '').trimEnd().replace(mark, '');

/** What the job asked its runner to mask stays masked, even if the line that asks for it is in the log. */
function maskLines(lines: readonly string[]): readonly string[] {
  const hidden = lines.flatMap((line) => adding.exec(line)?.[1]?.trim() ?? []).slice(0, 100);
  return maskSecrets(lines.filter((line) => !dropped.test(line.trim())).map((line) => scrub(line, hidden)));
}

const shortenLine = (line: string) => (line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line);

/** `whole`: false if the text is only the end of the log and starts in the middle of a line. */
export function excerptOf(
  text: string,
  { most, whole }: { readonly most: number; readonly whole: boolean },
): LogExcerpt {
  const written = text.split(/\r?\n/);
  const lines = maskLines((whole ? written : written.slice(1)).map(bare));
  const end = lines.findLastIndex((line) => failed.test(line.trim()));
  const step = failed.exec(lines[end]?.trim() ?? '')?.[1];
  const candidates = (end === -1 ? lines : lines.slice(0, end)).filter((line) => !after.test(line.trim()));
  const start = candidates.findLastIndex((line) => begins.test(line.trim()));
  const own = step === undefined ? candidates.filter((line) => !begins.test(line.trim())) : candidates.slice(start + 1);
  return {
    step,
    lines: own.slice(-most).map(shortenLine),
    more: own.length > most || (!whole && (step === undefined || start === -1)),
  };
}

/** When its last line was written, if lines have timestamps. */
export function lastWritten(text: string): Date | undefined {
  const stamp = text.split('\n').findLast((line) => time.test(line));
  const at =
    stamp === undefined ? Number.NaN : Date.parse(stamp.slice(0, stamp.indexOf('Z') + 1).replace('\uFEFF', ''));
  return Number.isNaN(at) ? undefined : new Date(at);
}

const telling = /error|fail|fatal|panic|exception|traceback|assert|expected|not ok|cannot|denied|✕|✗|×/i;
/** Phrases that contain one of these words but mean nothing. */
const idle = /\b0 (?:errors?|fail(?:ed|ures?)?)\b/i;

/** The few lines a card has room for: those that name the problem, or the last ones. */
export function tellingLines(lines: readonly string[], most: number): readonly string[] {
  const loud = lines.filter((line) => telling.test(line) && !idle.test(line));
  return (loud.length > 0 ? loud : lines).slice(-most);
}
