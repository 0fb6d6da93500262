/** A parsed line of Slack's mrkdwn, ready to be drawn. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bold' | 'italic' | 'strike'; readonly children: readonly Node[] }
  | { readonly kind: 'code' | 'pre'; readonly text: string }
  | { readonly kind: 'link'; readonly url: string; readonly text: string }
  | { readonly kind: 'user' | 'channel' | 'group'; readonly id: string; readonly label: string }
  | { readonly kind: 'broadcast'; readonly name: string }
  | { readonly kind: 'date'; readonly seconds: number; readonly format: string; readonly fallback: string }
  | { readonly kind: 'quote'; readonly children: readonly Node[] }
  | { readonly kind: 'break' };

export const decode = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const text = (value: string): Node => ({ kind: 'text', text: decode(value) });

/** `<https://…|label>`, `<@U1>`, `<#C1|name>`, `<!date^…|…>`, `<!here>`. */
function token(inside: string): Node {
  const [target = '', ...rest] = inside.split('|');
  const label = rest.join('|');
  if (target.startsWith('@')) return { kind: 'user', id: target.slice(1), label: decode(label) };
  if (target.startsWith('#')) return { kind: 'channel', id: target.slice(1), label: decode(label) };
  if (target.startsWith('!subteam^')) return { kind: 'group', id: target.slice(9), label: decode(label) };
  if (target.startsWith('!date^')) {
    const [, seconds = '0', format = ''] = target.split('^');
    return { kind: 'date', seconds: Number(seconds), format, fallback: decode(label) };
  }
  if (target.startsWith('!')) return { kind: 'broadcast', name: target.slice(1) };
  if (/^(https?|mailto):/.test(target)) return { kind: 'link', url: decode(target), text: decode(label || target) };
  return text(`<${inside}>`);
}

const marks = { '*': 'bold', _: 'italic', '~': 'strike' } as const;

/** Formatting marks count only at the edges of words, as in Slack. */
const inline =
  /```\n?([\s\S]+?)\n?```|`([^`\n]+)`|<([^<>\n]+)>|(?<![\p{L}\p{N}*_~])([*_~])(?!\s)((?:<[^<>\n]+>|`[^`\n]+`|(?!\4)[^\n<`])+?)(?<!\s)\4(?![\p{L}\p{N}])|\n/gu;

function line(source: string): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  for (const found of source.matchAll(inline)) {
    if (found.index > at) nodes.push(text(source.slice(at, found.index)));
    at = found.index + found[0].length;
    const [whole, pre, code, inside, mark, marked] = found;
    if (pre !== undefined) nodes.push({ kind: 'pre', text: decode(pre) });
    else if (code !== undefined) nodes.push({ kind: 'code', text: decode(code) });
    else if (inside !== undefined) nodes.push(token(inside));
    else if (marked !== undefined && (mark === '*' || mark === '_' || mark === '~'))
      nodes.push({ kind: marks[mark], children: line(marked) });
    else nodes.push(whole === '\n' ? { kind: 'break' } : text(whole));
  }
  if (at < source.length) nodes.push(text(source.slice(at)));
  return nodes;
}

const quoted = /^(?:&gt;|>) ?(.*)$/;

/** Lines that start with > become one quote; code blocks are left alone. */
export function parse(source: string): Node[] {
  const nodes: Node[] = [];
  let plain: string[] = [];
  let quote: string[] = [];
  let fenced = false;
  const flush = () => {
    if (plain.length > 0) nodes.push(...line(plain.join('\n')));
    if (quote.length > 0) nodes.push({ kind: 'quote', children: line(quote.join('\n')) });
    plain = [];
    quote = [];
  };
  for (const each of source.split('\n')) {
    const inside = fenced ? undefined : quoted.exec(each)?.[1];
    if ((each.match(/```/g)?.length ?? 0) % 2 === 1) fenced = !fenced;
    if (inside === undefined ? quote.length > 0 : plain.length > 0) flush();
    if (inside === undefined) plain.push(each);
    else quote.push(inside);
  }
  flush();
  return nodes;
}
