/** Text as Slack hands it over: `<@U1|ada>`, `<https://…|label>`, and `& < >` as entities. */

const escaped = /<([^<>\n]*)>|&(amp|lt|gt);/g;
const entity = { amp: '&', lt: '<', gt: '>' } as const;

const decode = (text: string) => text.replace(/&(amp|lt|gt);/g, (_, name: keyof typeof entity) => entity[name]);

function insideOf(inner: string, mentions: 'keep' | 'plain'): string {
  const bar = inner.indexOf('|');
  const target = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? '' : decode(inner.slice(bar + 1));
  if (/^[@#]/.test(target)) {
    if (mentions === 'keep') return `<${inner}>`;
    return `${target[0]}${label || target.slice(1)}`;
  }
  if (target.startsWith('!')) return label || `@${target.slice(1).split('^')[0]}`;
  if (target.startsWith('mailto:')) return label || decode(target.slice(7));
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return addressOf(decode(target), label, mentions);
  return decode(`<${inner}>`);
}

/** In prose `example.org` stays as it was typed, though Slack made an address of it. */
function addressOf(target: string, label: string, mentions: 'keep' | 'plain'): string {
  const sameWords = label !== '' && target.replace(/^https?:\/\//, '').replace(/\/$/, '') === label;
  return mentions === 'plain' && sameWords ? label : target;
}

/** keep: mentions stay `<@U1|ada>` for fields that ask for people; plain: they read `@ada`. */
export function unwrap(text: string, mentions: 'keep' | 'plain'): string {
  return text.replace(escaped, (_, inner: string | undefined, name: keyof typeof entity | undefined) =>
    name === undefined ? insideOf(inner ?? '', mentions) : entity[name],
  );
}

/** For text whose other escapes are undone already. */
export function withoutMentions(text: string): string {
  return text.replace(/<[@#][A-Z0-9]+(?:\|[^<>\n]*)?>/g, (mention) => unwrap(mention, 'plain'));
}
