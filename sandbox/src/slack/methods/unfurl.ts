import { checkBlocks, checkTotal, noteMentions } from '../content.js';
import type { Core, SharedLinks } from '../core.js';
import { asObj, asText, isObj, type Obj } from '../json.js';
import { SlackError } from '../slack-error.js';
import { unfurledEntities } from './entity.js';
import type { Method, MethodCall } from './method.js';

function sharedIn({ core, args }: MethodCall): SharedLinks {
  const id = args.text('unfurl_id');
  if (id !== undefined) {
    if (!args.has('source')) throw new SlackError('missing_source');
    const links = core.links.get(id);
    if (links === undefined) throw new SlackError('invalid_unfurl_id');
    return links;
  }
  const channel = args.required('channel', 'missing_channel');
  const ts = args.required('ts', 'missing_ts');
  const links = [...core.links.values()].find((each) => each.channel === channel && each.ts === ts);
  if (links === undefined) throw new SlackError('cannot_find_message');
  return links;
}

function checked(core: Core, url: string, unfurl: Obj): void {
  const blocks = unfurl['blocks'];
  const pointer = `/unfurls/${url.replaceAll('~', '~0').replaceAll('/', '~1')}/blocks`;
  if (blocks !== undefined) checkBlocks(blocks, 'chat.unfurl', core, pointer);
  noteMentions(core, 'chat.unfurl', { unfurls: { [url]: unfurl } });
}

/** The acknowledgement may be sent at the same instant as the call; a short wait decides which came first. */
export async function acknowledged(core: Core, raw: Obj): Promise<void> {
  const waiting = () =>
    [...core.links].some(
      ([id, each]) =>
        !each.acked && (id === raw['unfurl_id'] || (each.channel === raw['channel'] && each.ts === raw['ts'])),
    );
  if (waiting())
    await core.changes.until(() => !waiting(), 50, 'the link_shared event is acknowledged').catch(() => {});
}

/** Shown only to the poster, when the app asks them to sign in first. */
function askPoster({ core, args }: MethodCall, { channel, user }: SharedLinks): void {
  const text = args.text('user_auth_message') ?? '';
  if (text === '' && !args.flag('user_auth_required')) return;
  core.space.timeline.add({ channel, user: core.space.bot.id, byBot: true, text, onlyFor: user });
}

function unfurl(call: MethodCall): Obj {
  const { core, args } = call;
  const links = sharedIn(call);
  const entities = unfurledEntities(call, links);
  const unfurls = entities ?? args.object('unfurls', 'invalid_unfurls_format');
  askPoster(call, links);
  if (unfurls === undefined) {
    if (!args.has('user_auth_message') && !args.has('user_auth_required')) throw new SlackError('missing_unfurls');
    return {};
  }
  // Slack has no message to attach to before the event is acknowledged
  if (!links.acked) throw new SlackError('cannot_unfurl_url');
  const message = core.space.timeline.find(links.channel, links.ts);
  if (message === undefined) throw new SlackError('cannot_find_message');
  const shown: Record<string, Obj> = { ...message.unfurls };
  for (const [url, each] of Object.entries(unfurls)) {
    if (!links.urls.includes(url)) throw new SlackError('cannot_unfurl_url');
    if (!isObj(each)) throw new SlackError('invalid_unfurls_format');
    checked(core, url, each);
    if (each['blocks'] !== undefined && asText(each['fallback']) === '' && each['preview'] === undefined) {
      core.failures.note('no_fallback', `chat.unfurl: ${url} has blocks without fallback or preview`);
    }
    shown[url] = each;
  }
  checkTotal(core, 'chat.unfurl', ...Object.values(unfurls).map((each) => asObj(each)['blocks']));
  core.space.timeline.change(message, { unfurls: shown });
  core.changes.tell({ kind: 'unfurl', channel: links.channel, ts: links.ts });
  return {};
}

export const unfurls: Record<string, Method> = {
  'chat.unfurl': { tier: 'three', scope: 'links:write', run: unfurl },
};
