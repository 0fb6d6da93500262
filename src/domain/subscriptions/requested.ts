import type { Context } from '../../chat/context.js';
import { asCode, UserError } from '../../errors.js';
import { readWish } from './fields.js';
import { type Found, find } from './find-target.js';
import { readTarget, type Written } from './target.js';
import { placeOf, type Showable } from './this-channel.js';

interface Given {
  readonly repositories?: readonly string[] | undefined;
  readonly features?: readonly string[] | undefined;
  readonly filter?: string | undefined;
}

export interface Wanted {
  readonly targets: readonly Written[];
  readonly words: readonly string[];
  readonly seconds?: number;
}

/** A word for part of a feature overrides its tick: `pulls:merged` replaces `pulls`. */
const ticked = (features: readonly string[], words: readonly string[]) =>
  features.filter((feature) => !words.some((word) => word.toLowerCase().startsWith(`${feature}:`)));

/** Exceptions require a pattern. */
function exceptFits<R extends { readonly words: readonly string[] }>(targets: readonly Written[], rest: R): R {
  const except = rest.words.find((word) => /^-[^:/]+\//.test(word));
  if (except !== undefined && targets.every(({ kind }) => kind !== 'owner'))
    throw new UserError(`${asCode(except)} only works with a pattern, such as ${asCode('acme/* -acme/noisy')}.`, {
      field: 'filter',
    });
  return rest;
}

/** What was requested; nothing named means the channel's own repository. */
export async function wantedOf(
  { repositories = [], features = [], filter = '' }: Given,
  context: Context,
): Promise<Wanted> {
  const { targets, words, ...more } = readWish(filter, context.forge.web);
  const rest = { ...more, words: [...ticked(features, words), ...words] };
  const written = [...new Set([...repositories, ...targets])].flatMap((text) => readTarget(text) ?? []);
  if (written.length > 0) return { targets: written, ...exceptFits(written, rest) };
  const preset = await context.store.channels.defaultRepository(placeOf(context));
  if (!preset)
    throw new UserError(
      'Which repository? Write owner/repo or owner/*, or set this channel’s default: /forge repo use owner/repo.',
    );
  return { targets: [{ kind: 'repo', owner: preset.owner, repo: preset.name }], ...rest };
}

export interface Sought {
  readonly found: readonly Found[];
  /** What could not be found, as sentences. */
  readonly but: readonly string[];
}

/** Each separately: a missing one does not stop the others. */
export async function seek(
  targets: readonly Written[],
  context: Context,
  show: (found: Found) => Showable,
): Promise<Sought> {
  const found: Found[] = [];
  const but: string[] = [];
  for (const written of targets) {
    try {
      const each = show(await find(written, context));
      if ('refusal' in each) but.push(each.refusal);
      else found.push(each.found);
      if ('but' in each && each.but !== undefined) but.push(each.but);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      but.push(error.message);
    }
  }
  if (found.length === 0) throw new UserError(but.join('\n'));
  return { found, but };
}
