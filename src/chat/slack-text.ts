/** Text as Slack sends it: `<@U1|ada>`, `<https://…|label>`, and `& < >` as entities. */

const escaped = /<([^<>\n]*)>|&(amp|lt|gt);/g;
const entity = { amp: '&', lt: '<', gt: '>' } as const;

const decode = (text: string) => text.replace(/&(amp|lt|gt);/g, (_, name: keyof typeof entity) => entity[name]);

/** keep: `<@U1|ada>`, `<#C1|general>`, `<!subteam^S1|@core>` stay; people: only people's do; plain: `@ada`, `#general`. */
export type Mentions = 'keep' | 'people' | 'plain';

function insideOf(inner: string, mentions: Mentions): string {
  const bar = inner.indexOf('|');
  const target = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? '' : decode(inner.slice(bar + 1));
  if (/^[@#]/.test(target)) {
    if (mentions === 'keep' || (mentions === 'people' && target.startsWith('@'))) return `<${inner}>`;
    return `${target[0]}${label || target.slice(1)}`;
  }
  if (target.startsWith('!subteam^') && mentions === 'keep') return `<${inner}>`;
  if (target.startsWith('!')) return label || `@${target.slice(1).split('^')[0]}`;
  if (target.startsWith('mailto:')) return label || decode(target.slice(7));
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return addressOf(decode(target), label, mentions);
  return decode(`<${inner}>`);
}

/** In prose `example.org` stays as typed, even though Slack linked it. */
function addressOf(target: string, label: string, mentions: Mentions): string {
  const sameWords = label !== '' && target.replace(/^https?:\/\//, '').replace(/\/$/, '') === label;
  return mentions !== 'keep' && sameWords ? label : target;
}

export function unwrap(text: string, mentions: Mentions): string {
  return text.replace(escaped, (_, inner: string | undefined, name: keyof typeof entity | undefined) =>
    name === undefined ? insideOf(inner ?? '', mentions) : entity[name],
  );
}

/** For text whose other escapes are already undone. */
export function withoutMentions(text: string, mentions: Mentions = 'plain'): string {
  return text.replace(/<(?:[@#]|!subteam\^)[A-Z0-9]+(?:\|[^<>\n]*)?>/g, (mention) => unwrap(mention, mentions));
}

/** `<@U1|ada>` anywhere in a text: the user, and the name Slack added. */
export const personMention = /<@([UW][A-Z0-9]{1,30})(?:\|([^<>|\n]{0,80}))?>/g;
