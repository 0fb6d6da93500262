import { z } from 'zod';
import { joinList, splitList } from '../../chat/fields/lists.js';
import { type Needed, plainField, type Words } from '../../chat/fields/make.js';
import { readDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import { features, settings } from '../../feed/filter.js';
import { parseFilter } from '../../feed/filter-words.js';
import { split } from '../../feed/split-words.js';
import { readOwner, readTarget, refuseForeignTarget, showTarget } from './target.js';

const mostTargets = 50;
const targetMax = 210;

const keywords: ReadonlySet<string> = new Set([...features, 'workflows', 'all', ...Object.keys(settings)]);
const isKeyword = (word: string) => keywords.has(word.toLowerCase());

function targetIn(word: string, webUrl: string): string | undefined {
  const found = readTarget(word, webUrl) ?? (isKeyword(word) || lengthOf(word) ? undefined : readOwner(word));
  return found && showTarget(found);
}

const lengthOf = (word: string) => (/^\d+[hdw]$/i.test(word) ? readDuration(word) : undefined);

function unreadable(word: string): UserError {
  refuseForeignTarget(word);
  return new UserError(`I can’t subscribe to “${word.slice(0, 60)}”. Write owner/repo, owner/* or a person’s @login.`);
}

/** Several of `owner/repo`, `owner/lib-*`, `@login`, normalized to plain names. */
export function targets(words: Words = {}): Needed<readonly string[]> {
  return plainField<readonly string[]>(words, {
    label: 'Repositories',
    placeholder: 'owner/repo',
    input: { kind: 'external', source: 'repositories', many: true },
    schema: z.array(z.string().min(2).max(targetMax)).min(1).max(mostTargets).readonly(),
    read: (text, { webUrl }) => {
      const parts = splitList(text).flatMap((part) => part.split(/\s+/));
      const found = parts.map((part) => {
        const target = targetIn(part, webUrl);
        if (target === undefined) throw unreadable(part);
        return target;
      });
      if (found.length === 0) throw new UserError('Which repository? Write owner/repo or owner/*.');
      if (found.length > mostTargets) throw new UserError(`Use at most ${mostTargets} at once, or owner/*.`);
      return [...new Set(found)];
    },
    show: joinList,
  });
}

/** One of them, to name an existing subscription. */
export function followed(words: Words = {}): Needed<string> {
  return plainField<string>(words, {
    label: 'Subscription',
    placeholder: 'owner/repo',
    input: { kind: 'external', source: 'subscriptions' },
    schema: z.string().min(2).max(targetMax),
    read: (text, { webUrl }) => {
      const found = targetIn(text.trim(), webUrl);
      if (found === undefined) throw unreadable(text.trim());
      return found;
    },
    show: (value) => value,
  });
}

/** What follows the first repository: more repositories, features, filters, and a preview's period. */
export interface Wish {
  readonly targets: readonly string[];
  readonly words: readonly string[];
  readonly seconds?: number;
}

export function readWish(text: string, webUrl: string): Wish {
  const all = split(text);
  const more: string[] = [];
  const words: string[] = [];
  let seconds: number | undefined;
  for (const word of all) {
    const parts = word.split(',').filter((part) => part !== '');
    const found = parts.map((part) => readTarget(part, webUrl));
    if (parts.length > 0 && found.every((each) => each !== undefined)) more.push(...found.map(showTarget));
    else if (lengthOf(word) !== undefined) seconds = lengthOf(word);
    else {
      refuseForeignTarget(word);
      words.push(word);
    }
  }
  return { targets: more, words, ...(seconds !== undefined && { seconds }) };
}

/** Kept as typed, because the exact words matter when a subscription is changed. */
export function wish(words: Words = {}): Needed<string> {
  return plainField<string>(words, {
    label: 'Features and filters',
    placeholder: 'feature|filter',
    typed: 'rest',
    input: { kind: 'text', max: 1500 },
    schema: z.string().min(1).max(1500),
    read: (text, { webUrl }) => {
      if (text.length > 1500) throw new UserError('Features and filters are too long: use at most 1500 characters.');
      const read = readWish(text, webUrl);
      parseFilter(read.words);
      return [...read.targets, ...read.words, ...(read.seconds ? [`${read.seconds / 3600}h`] : [])].join(' ');
    },
    show: (value) => value,
  });
}
