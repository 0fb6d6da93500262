import { describe, expect, it } from 'vitest';
import { cards, now } from './samples/cards.js';
import * as forge from './samples/forge.js';
import * as view from './view.js';

const look = { now };

/** The text of each block, as a reader sees it. */
function read(blocks: readonly { type: string }[]): string[] {
  return blocks.flatMap((block) => {
    if ('text' in block) return [words(block.text)];
    if ('elements' in block && block.type === 'context' && Array.isArray(block.elements))
      return block.elements.map(words);
    return [];
  });
}

function words(text: unknown): string {
  return typeof text === 'object' && text !== null && 'text' in text ? view.readable(String(text.text)) : '';
}

describe('cards', () => {
  it('show an issue: what it is, then where, when, who', () => {
    expect(read(view.issueCard(forge.issue, look))).toEqual([
      '🟢 Open #12 Leaking pipe',
      'acme/engine · 3 hours ago · by ada · assigned to ada, ben · due 2026-09-01 · v1 · `bug` · 3 comments',
    ]);
  });

  it('show one line in line style', () => {
    expect(read(view.issueCard(forge.issue, { now, style: 'line' }))).toEqual([
      '🟢 Open #12 Leaking pipe · acme/engine',
    ]);
  });

  it('start with what happened and keep the state on the quiet line', () => {
    const [line, quiet] = read(view.issueCard(forge.issue, { now, says: view.md`ada reopened` }));
    expect(line).toBe('ada reopened #12 Leaking pipe');
    expect(quiet).toMatch(/^🟢 Open · acme\/engine/u);
  });

  it('mention people known in Slack', () => {
    const sent = JSON.stringify(
      view.issueCard(forge.issue, { now, who: (login) => (login === 'ben' ? 'U2' : undefined) }),
    );
    expect(sent).toContain('assigned to ada, <@U2>');
  });

  it('show a pull request with its branches and the verdict of each reviewer', () => {
    expect(read(view.pullCard(forge.pull, look, forge.reviews))).toEqual([
      '🟢 Open #13 Seal the pipe',
      'acme/engine · `main` ← `seal` · 3 hours ago · by ada · approved by ada · changes requested by ben · waiting on ben, plumbers · +5 −2 · `bug`',
    ]);
  });

  it('name a pull request’s branch after it was deleted, and the fork it is in', () => {
    const head = { ref: 'refs/pull/13/head', label: 'seal', repo: { full_name: 'acme/engine' } };
    expect(read(view.pullCard({ ...forge.pull, head }, look))[1]).toContain('`main` ← `seal`');
    const fork = { ref: 'seal', repo: { full_name: 'ben/engine' } };
    expect(read(view.pullCard({ ...forge.pull, head: fork }, look))[1]).toContain('`main` ← `ben/engine:seal`');
  });

  it('wait on nobody once a pull request is merged or closed', () => {
    for (const over of [{ state: 'closed', merged: true }, { state: 'closed' }])
      expect(read(view.pullCard({ ...forge.pull, ...over }, look, forge.reviews))[1]).not.toContain('waiting on');
  });

  it('count an outsider’s approval as none', () => {
    const outside = [...forge.reviews, { state: 'APPROVED', official: false, user: { login: 'mallory' } }];
    expect(read(view.pullCard(forge.pull, look, outside))[1]).toContain(
      'approved by ada · approval by mallory doesn’t count · changes requested by ben',
    );
  });

  it('count a person’s last review', () => {
    const again = [...forge.reviews, { state: 'APPROVED', official: true, user: { login: 'ben' } }];
    expect(read(view.pullCard(forge.pull, look, again))[1]).toContain('approved by ada, ben');
  });

  it('never show a skipped run as a failed one', () => {
    expect(view.runState({ status: 'completed', conclusion: 'skipped' })).toBe('⏭️ Skipped');
    expect(view.runState({ status: 'completed', conclusion: 'failure' })).toBe('❌ Failed');
    expect(view.runState({ status: 'waiting' })).toBe('⏳ Waiting');
    expect(view.runState({ status: 'new word' })).toBe('⚪ new word');
  });

  it('show how long a run takes and its symptoms', () => {
    const drawn = read(view.runCard(forge.run, { now, notes: ['no runner has the label linux'] }));
    expect(drawn[0]).toBe('🟡 Running Seal the pipe, run 41\nno runner has the label linux');
    expect(drawn[1]).toBe('acme/engine · `main` · build.yml · 3 hours ago · 3 h so far · by ada · attempt 2');
  });

  it('show where a job failed', () => {
    expect(read(view.jobCard(forge.job, look))[1]).toBe(
      'failed at compile · on runner-1 · 3 hours ago · took 2 min 5 s',
    );
  });

  it('hide keys, tokens and the query of a hook', () => {
    const sent = JSON.stringify([view.keyCard(forge.deployKey, look), view.hookCard(forge.hook, look)]);
    expect(sent).not.toContain('hush');
    expect(sent).not.toContain('AAAA');
  });

  it('show a secret exactly, once', () => {
    const sent = JSON.stringify(view.secretCard(view.md`Registration token`, 'a`b <c>'));
    expect(sent).toContain('"text":"a`b <c>"');
    expect(sent).toContain('Shown only to you');
  });

  it('show an item the person lost access to without its name', () => {
    expect(read(view.notificationRow({ id: 1, unread: true }, look))).toEqual([
      '🔵 Unread An item you can no longer see',
    ]);
  });

  it('have at most three buttons and a menu', () => {
    const buttons = Array.from({ length: 6 }, () => view.button({ text: 'Close', action: 'run', value: 1 }));
    const menu = view.overflow('menu', [{ text: 'More', value: 1 }]);
    const row = view.issueCard(forge.issue, { now, buttons, menu }).at(-1);
    expect(row).toMatchObject({ type: 'actions', elements: { length: 4 } });
  });

  it('lose their buttons once an approval is decided', () => {
    const buttons = [view.button({ text: 'Approve', action: 'approve', value: 1 })];
    const types = (name: string) => cards[name]?.((data) => data, { now, buttons }).map((block) => block.type);
    expect(types('approval')).toContain('actions');
    expect(types('decided')).not.toContain('actions');
  });

  it('shrink to one line with the requester once an approval is decided', () => {
    const drawn = read(cards['decided']?.((data) => data, look) ?? []);
    expect(drawn).toEqual(['⚠️ Not run · Run `41` ended by itself.', 'someone wanted to force-cancel run 41 · “stuck”']);
  });
});
