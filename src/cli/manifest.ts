import { z } from 'zod';
import { slashCommand } from '../config.js';
import { ConfigError } from '../errors.js';
import { createManifest } from '../slack/manifest.js';

interface Options {
  readonly mode?: string;
  readonly url?: string;
  readonly forgeHost?: string;
  readonly command?: string;
  readonly matchEmail?: boolean;
  readonly threadSync?: boolean;
  readonly workObjects?: boolean;
}

const originOf = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.href === `${url.origin}/` ? url.origin : undefined;
};

/** As Slack wants it, lowercase and without a port; an address copied from the browser is fine. */
const hostOf = (text: string): string | undefined => {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) ? host : undefined;
};

const orRefuse = (read: (text: string) => string | undefined, words: string) =>
  z.string().transform((text, context) => {
    const value = read(text.trim());
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', message: words, input: text });
    return z.NEVER;
  });

const Wanted = z
  .object({
    mode: z.enum(['socket', 'http'], 'must be socket or http'),
    url: orRefuse(
      originOf,
      'must be https:// and the host only, such as https://bellows.example.org; /slack/events is added to it',
    ).optional(),
    command: slashCommand.default('/forge'),
    'forge-host': orRefuse(hostOf, 'must be the host of your forge, such as git.example.org').optional(),
  })
  .refine(({ mode, url }) => mode === 'http' || url === undefined, {
    path: ['url'],
    error: 'Socket Mode needs no URL; leave it out, or add --mode http',
  });

/** Used in the manifests that ship with Bellows, where no real addresses are known. */
const placeholders = { url: 'https://bellows.example.org', 'forge-host': 'git.example.org' } as const;

export async function run({ mode, url, forgeHost, ...options }: Options): Promise<number> {
  const command = options.command ?? (process.env['BELLOWS_COMMAND'] || undefined);
  const read = Wanted.safeParse({ mode, url, command, 'forge-host': forgeHost });
  if (!read.success) {
    const nameOf = (option: PropertyKey | undefined) =>
      option === 'command' && options.command === undefined ? 'BELLOWS_COMMAND' : `--${String(option)}`;
    throw new ConfigError(
      read.error.issues.map(({ path: [option], message }) => `${nameOf(option)}: ${message}`),
      2,
    );
  }
  const wanted = read.data;
  const orPlaceholder = (name: keyof typeof placeholders): string => {
    const given = wanted[name];
    if (given === undefined)
      console.error(`Without --${name}, the manifest contains ${placeholders[name]}. Replace it with your own.`);
    return given ?? placeholders[name];
  };
  const manifest = createManifest({
    url: wanted.mode === 'http' ? orPlaceholder('url') : undefined,
    command: wanted.command,
    forgeHost: orPlaceholder('forge-host'),
    matchEmail: options.matchEmail ?? false,
    threadSync: options.threadSync ?? false,
    workObjects: options.workObjects ?? false,
  });
  console.log(JSON.stringify(manifest, null, 2));
  return 0;
}
