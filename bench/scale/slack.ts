/** The stand-in Slack in its own process, with the rate limits of many workspaces. */
import { startSlack } from '@bellows/sandbox/slack';
import { channelAt, sizes } from './sizes.js';

/** A received post: where, when, and which events it shows. */
export interface Post {
  readonly channel: string;
  readonly at: number;
  readonly titles: readonly string[];
}

const many = sizes.workspaces;
const slack = await startSlack({
  seed: { channels: Array.from({ length: sizes.channels }, (_, at) => ({ id: channelAt(at), name: `scale-${at}` })) },
  limits: {
    perMinute: { 'chat.postMessage': 300 * many, 'chat.update': 50 * many, 'conversations.info': 50 * many },
  },
});
const posts: Post[] = [];
let limited = 0;

/** The stand-in forgets its oldest calls, so they are read as they arrive. */
function collect(): void {
  for (const { method, args, at, result } of slack.calls.all) {
    if (result['error'] === 'ratelimited') limited += 1;
    if (method !== 'chat.postMessage' || result['ok'] !== true) continue;
    const titles = [...new Set(JSON.stringify(args).match(/E\d+x\d{6}z/g) ?? [])];
    posts.push({ channel: String(args['channel']), at, titles });
  }
  slack.calls.clear();
}
setInterval(collect, 200);

process.on('message', () => {
  collect();
  process.send?.({ posts: posts.splice(0), limited });
});
process.send?.({ apiUrl: slack.apiUrl, botToken: slack.botToken, teamId: slack.teamId });
