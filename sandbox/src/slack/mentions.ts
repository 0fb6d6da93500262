import { asText, isObj, type Json, type Obj } from './json.js';

type MentionKind = 'broadcast' | 'usergroup' | 'user' | 'channel';

export interface Mention {
  kind: MentionKind;
  id: string;
  /** JSON pointer to the live text or element. */
  at: string;
}

/** Groups are never mentioned by accident; people and channels may be. */
export const callsNoCrowd = ({ kind }: Mention): boolean => kind !== 'broadcast' && kind !== 'usergroup';

const live = /<(?:!(channel|here|everyone|group)|!subteam\^([A-Z0-9]+)|@([A-Z0-9]+)|#([A-Z0-9]+))(?:\|[^>]*)?>/gi;

const kinds: readonly MentionKind[] = ['broadcast', 'usergroup', 'user', 'channel'];

function inText(text: string, at: string): Mention[] {
  return [...text.matchAll(live)].map((match) => {
    const index = kinds.findIndex((_, position) => match[position + 1] !== undefined);
    return { kind: kinds[index] ?? 'broadcast', id: match[index + 1] ?? '', at };
  });
}

const elementIds: Record<string, [MentionKind, string]> = {
  user: ['user', 'user_id'],
  usergroup: ['usergroup', 'usergroup_id'],
  channel: ['channel', 'channel_id'],
  broadcast: ['broadcast', 'range'],
};

function inObject(value: Obj, at: string): Mention[] {
  const type = asText(value['type']);
  const found: Mention[] = [];
  const element = elementIds[type];
  if (element !== undefined && typeof value[element[1]] === 'string') {
    found.push({ kind: element[0], id: asText(value[element[1]]), at });
  }
  if (type === 'mrkdwn' || type === 'markdown') found.push(...inText(asText(value['text']), `${at}/text`));
  for (const [key, each] of Object.entries(value)) {
    if (isObj(each) || Array.isArray(each)) found.push(...inBlocks(each, `${at}/${key}`));
  }
  return found;
}

function inBlocks(value: Json | undefined, at: string): Mention[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => inBlocks(each, `${at}/${index}`));
  return isObj(value) ? inObject(value, at) : [];
}

const attachmentTexts = ['text', 'pretext', 'fallback', 'title', 'author_name', 'footer', 'value'];

/** Attachments and unfurls are always mrkdwn, whatever their `mrkdwn_in` says. */
function inAttachment(value: Json | undefined, at: string): Mention[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => inAttachment(each, `${at}/${index}`));
  if (!isObj(value)) return [];
  const texts = attachmentTexts.flatMap((key) => inText(asText(value[key]), `${at}/${key}`));
  return [...texts, ...inAttachment(value['fields'], `${at}/fields`), ...inBlocks(value['blocks'], `${at}/blocks`)];
}

interface Written {
  text?: string | undefined;
  blocks?: Json | undefined;
  attachments?: Json | undefined;
  unfurls?: Json | undefined;
}

/** Everything in a message, view or unfurl that would notify or link someone. */
export function liveMentions(written: Written): Mention[] {
  return [
    ...inText(written.text ?? '', '/text'),
    ...inBlocks(written.blocks, '/blocks'),
    ...inAttachment(written.attachments, '/attachments'),
    ...Object.entries(isObj(written.unfurls) ? written.unfurls : {}).flatMap(([url, each]) =>
      inAttachment(each, `/unfurls/${url}`),
    ),
  ];
}
