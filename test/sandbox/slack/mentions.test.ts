import { liveMentions } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { clientOf, general, section, slackFor } from './support.js';

const rich = (element: object) => [
  { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ ...element }] }] },
];

describe('live mentions', () => {
  it.each([
    ['<!channel>', 'broadcast', 'channel'],
    ['<!here|here>', 'broadcast', 'here'],
    ['<!everyone>', 'broadcast', 'everyone'],
    ['<!subteam^S0OPERATE1>', 'usergroup', 'S0OPERATE1'],
    ['<@U0ADA00001>', 'user', 'U0ADA00001'],
    ['<@U0ADA00001|ada>', 'user', 'U0ADA00001'],
    ['<#C0GENERAL1>', 'channel', 'C0GENERAL1'],
  ])('finds %s in fallback text, mrkdwn and attachments', (text, kind, id) => {
    const found = liveMentions({ text, blocks: [section(text)], attachments: [{ fields: [{ value: text }] }] });
    expect(found).toEqual([
      { kind, id, at: '/text' },
      { kind, id, at: '/blocks/0/text/text' },
      { kind, id, at: '/attachments/0/fields/0/value' },
    ]);
  });

  it.each([
    [{ type: 'user', user_id: 'U1' }, 'user'],
    [{ type: 'usergroup', usergroup_id: 'S1' }, 'usergroup'],
    [{ type: 'channel', channel_id: 'C1' }, 'channel'],
    [{ type: 'broadcast', range: 'here' }, 'broadcast'],
  ])('finds rich text elements %o', (element, kind) => {
    expect(liveMentions({ blocks: rich(element) })).toMatchObject([{ kind, at: '/blocks/0/elements/0/elements/0' }]);
  });

  it.each([
    [{ text: '&lt;!channel&gt; &lt;@U1&gt;' }],
    [{ text: '@channel <https://x.test|@here> <!date^1^{date}|x>' }],
    [{ blocks: rich({ type: 'text', text: '<!channel>' }) }],
    [{ blocks: [{ type: 'header', text: { type: 'plain_text', text: '<!channel>' } }] }],
  ])('leaves literal text alone: %j', (written) => {
    expect(liveMentions(written)).toEqual([]);
  });

  it.each([
    ['<!channel>', 'broadcast channel'],
    ['<!subteam^S0OPERATE1>', 'usergroup S0OPERATE1'],
  ])('records that %s mentioned a group, and no named person or channel', async (crowd, noted) => {
    const slack = await slackFor();
    const text = `see ${crowd} and <@U0ADA00001> in <#C0GENERAL1>`;
    await clientOf(slack).chat.postMessage({ channel: general, text });
    expect(slack.failures.of('mention')).toMatchObject([{ detail: expect.stringContaining(noted) }]);
  });

  it('records names made live by the caller', async () => {
    const slack = await slackFor();
    await clientOf(slack).chat.postMessage({ channel: general, text: '@channel', link_names: true });
    expect(slack.failures.of('mention')).toHaveLength(1);
  });
});
