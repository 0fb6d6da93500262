import { liveMentions } from '@bellows/sandbox/slack/mentions.js';
import { messageIssues, viewIssues } from '@bellows/sandbox/slack/rules/surface.js';
import type { KnownBlock } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../support/properties.js';
import { asker, cards, known, now } from './samples/cards.js';
import { hostile, spoil } from './samples/hostile.js';
import * as view from './view.js';

const styles = ['line', 'row', 'card', 'full'] as const;
const buttons = Array.from({ length: 6 }, () =>
  view.button({ text: 'Close', action: 'run', value: { c: 'issue close' } }),
);
const menu = view.overflow('menu', [{ text: 'More', value: 1 }]);

// As Slack receives it.
function json(value: unknown) {
  return JSON.parse(JSON.stringify(value));
}

function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === 'mrkdwn' && 'text' in value ? [String(value.text)] : [];
  return [...own, ...Object.values(value).flatMap(texts)];
}

const token = /<(?:https?:\/\/[^\s<>|]+\|[^<>\n]*|@U0(?:KNOWN|ASKER)|!date\^\d+\^[^<>|^]+\|[^<>\n]*)>/gu;

/** Markup we did not create; empty if every control character is an entity. */
function strays(source: string): string[] {
  const rest = source.replace(token, '').replace(/^>/gmu, '');
  return rest.match(/[<>]|&(?!(?:amp|lt|gt);)/gu) ?? [];
}

function unsafe(blocks: readonly KnownBlock[], text: string): unknown[] {
  const sent = json(blocks);
  return [
    ...messageIssues(sent),
    ...liveMentions({ text, blocks: sent }).filter(({ id }) => id !== known && id !== asker),
    ...texts(sent).flatMap(strays),
    ...strays(text),
    ...(/\p{Cs}|[\u{202A}-\u{202E}\u{2066}-\u{2069}\u{200B}]/u.test(JSON.stringify(sent) + text) ? ['unseen'] : []),
    ...(text.trim() === '' || text.length > 4000 ? ['text'] : []),
    ...(view.weight(blocks) > view.limits.message.characters ? ['weight'] : []),
  ];
}

describe.each(Object.entries(cards))('the %s card', (_name, draw) => {
  it('stays within limits and mentions nobody, whatever the forge answers', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 6 }), fc.constantFrom(...styles), (strings, style) => {
        let at = 0;
        const next = () => strings[at++ % strings.length] ?? '';
        const who = (login: string) => (login.length % 2 === 0 ? known : undefined);
        const blocks = draw((data) => spoil(data, next), { now, style, who, buttons, menu });
        const sent = view.message({ blocks });
        expect(unsafe(sent.blocks, sent.text)).toEqual([]);
      }),
      tries(20),
    );
  });

  it('is drawn from real answers of a forge', () => {
    const drawn = styles.map((style) => view.message({ blocks: draw((data) => data, { now, style }) }));
    expect(drawn.flatMap((sent) => unsafe(sent.blocks, sent.text))).toEqual([]);
  });
});

describe('any text', () => {
  it('is the same data wherever it is', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const blocks = [
          view.heading(one),
          view.section(view.md`${view.bold(one)} ${view.code(two)}\n${view.quote(one)}\n${view.codeBlock(two)}`),
          view.section(view.lines(one), view.linkButton(two, one)),
          view.literal(one),
          view.richBody(two),
          ...view.fields([[one, two]]),
          view.context([view.link(one, two), view.mention(one, two), view.channel(two, one), view.userGroup(one, two)]),
          view.actions(
            view.button({
              text: one,
              action: 'run',
              value: { c: 'issue close' },
              confirm: { title: two, text: one, confirm: two, deny: one },
            }),
            view.overflow('menu', [{ text: two, value: 1, url: one }]),
            view.select({ action: 'pick', placeholder: one, choices: [{ value: 'a', label: two, description: one }] }),
          ),
        ];
        const sent = view.message({ text: one, blocks });
        expect(unsafe(sent.blocks, sent.text)).toEqual([]);
      }),
      tries(100),
    );
  });

  it('makes a form that Slack accepts', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const form = view.modal({
          title: one,
          submit: two,
          callbackId: 'form',
          blocks: [
            view.input({
              id: 'a',
              label: one,
              hint: two,
              element: view.textInput({ action: 'a', initial: two, placeholder: one }),
            }),
            view.input({
              id: 'b',
              label: two,
              element: view.externalSelect({ action: 'b', initial: [{ value: one, label: two }] }),
            }),
            view.input({ id: 'c', label: two, element: view.datePicker({ action: 'c', initial: one }) }),
            view.input({ id: 'd', label: two, element: view.usersSelect({ action: 'd', many: true }) }),
          ],
        });
        const failed = view.errorModal({ title: two, text: one, next: two });
        expect([...viewIssues(json(form)), ...viewIssues(json(failed)), ...texts(failed).flatMap(strays)]).toEqual([]);
      }),
      tries(70),
    );
  });
});
