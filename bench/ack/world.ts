/** Forge and Slack in their own process, with constant activity. */
import { startForge } from '@bellows/sandbox/forge';
import { startSlack } from '@bellows/sandbox/slack';

const repositories = 20;
const everyMs = 250;
const people = Number(process.env['BENCH_PEOPLE']);

const channels = Array.from({ length: repositories }, (_, at) => ({
  id: `C0BENCH${String(at).padStart(3, '0')}`,
  name: `bench-${at}`,
}));
const users = Array.from({ length: people }, (_, at) => ({
  id: `U0BENCH${String(at).padStart(4, '0')}`,
  name: `bench-${at}`,
}));
const [forge, slack] = await Promise.all([startForge(), startSlack({ mode: 'http', seed: { users, channels } })]);
const places = channels.map(({ id: channel }, at) => {
  const name = `bench-${at}`;
  return { channel, name: `acme/${name}`, id: forge.world.createRepo({ as: 'ada', owner: 'acme', name }).id };
});
let count = 0;
setInterval(() => {
  const place = places[count++ % places.length];
  if (place) forge.world.openIssue({ as: 'ada', repo: place.name, title: `Something ${count}` });
}, everyMs);
process.on('message', ({ addresses }: { addresses: number }) => {
  const [{ id: channel } = { id: '' }] = channels;
  const given = Array.from({ length: addresses }, () => slack.responseUrl(channel, 'U0BENCH0000'));
  process.send?.(addresses > 0 ? given : { posts: slack.calls.of('chat.postMessage').length });
});
process.send?.({
  forgeUrl: forge.url,
  forgeToken: forge.account('bellows-bot').token(),
  botToken: slack.botToken,
  signingSecret: slack.signingSecret,
  apiUrl: slack.apiUrl,
  teamId: slack.teamId,
  places,
});
