import type { Check } from './check.js';
import { sizes } from './limits.js';

const allowed = {
  plain_text: ['emoji'],
  mrkdwn: ['verbatim'],
} as const;

type TextType = keyof typeof allowed;

/** A text object: kind, flags, length. */
export function text(
  at: Check,
  max: number = sizes.textObject,
  types: readonly TextType[] = ['plain_text', 'mrkdwn'],
): void {
  const type = types.find((name) => name === at.type);
  if (type === undefined) {
    at.field('type').fail(`must be one of: ${types.join(', ')}`);
    return;
  }
  if (!at.keys(['type', 'text'], allowed[type])) return;
  at.field('text').string(max);
  for (const flag of allowed[type]) at.optional(flag, (field) => field.boolean());
}

export const plain = (max: number) => (at: Check) => text(at, max, ['plain_text']);

export const mrkdwn = (max: number) => (at: Check) => text(at, max, ['mrkdwn']);

export const webAddress = (at: Check): void => {
  at.string(sizes.url);
  at.match(/^(https?:\/\/|mailto:|slack:|tel:)[^\s]+$/i, 'a valid URL');
};

export function confirm(at: Check): void {
  if (!at.keys(['text'], ['title', 'confirm', 'deny', 'style'])) return;
  text(at.field('text'), sizes.confirmText);
  at.optional('title', plain(sizes.confirmTitle));
  at.optional('confirm', plain(sizes.confirmButton));
  at.optional('deny', plain(sizes.confirmButton));
  at.optional('style', (style) => style.oneOf(['primary', 'danger']));
}

export function imageSource(at: Check): void {
  if (at.has('image_url') === at.has('slack_file')) at.fail('must provide either image_url or slack_file');
  at.optional('image_url', (url) => {
    url.string(sizes.url);
    url.match(/^https?:/i, 'a valid URL');
  });
  at.optional('slack_file', (file) => {
    if (!file.keys([], ['id', 'url'])) return;
    if (file.has('id') === file.has('url')) file.fail('must provide either id or url');
  });
}
