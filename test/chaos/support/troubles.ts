import type { SandboxForge } from '@bellows/sandbox/forge';
import type { Fault, SandboxSlack } from '@bellows/sandbox/slack';
import type { Chance } from './chance.js';

type Trouble = Parameters<SandboxForge['faults']['add']>[0]['trouble'];

const ofForge: readonly Trouble[] = [
  { delay: 800 },
  { delay: 2_500 },
  { status: 503 },
  { status: 500 },
  { html: 502 },
  { cut: 0.5 },
  { drop: 'before' },
  { drop: 'after' },
];

const ofPosts: readonly Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'drop' },
  { kind: 'silence' },
  { kind: 'ratelimited', retryAfter: 1 },
  { kind: 'slow', ms: 1_500 },
  { kind: 'error', error: 'internal_error' },
  { kind: 'lost', how: 'drop' },
  { kind: 'lost', how: 'status' },
  { kind: 'lost', how: 'silence' },
];

const ofOthers: readonly Fault[] = [
  { kind: 'status', status: 503 },
  { kind: 'drop' },
  { kind: 'ratelimited', retryAfter: 1 },
  { kind: 'slow', ms: 800 },
];

const others = ['chat.update', 'conversations.history', 'conversations.replies', 'conversations.info'] as const;

type Args = Readonly<Record<string, unknown>>;
const most = 2;
const failing: ReadonlySet<string> = new Set(['status', 'silence', 'drop', 'error', 'lost']);

/** A third failure in a row changes the form of a channel's first message or sets it aside; other tests show that. */
const mayFail =
  (slack: SandboxSlack) =>
  ({ channel }: Args): boolean => {
    const here = slack.calls.of('chat.postMessage').filter(({ args }) => args['channel'] === channel);
    return here.length < most || here.slice(-most).some(({ fault = '' }) => !failing.has(fault));
  };

/** Something goes wrong at the forge or at Slack, now or at the next matching call. */
export function trouble(forge: SandboxForge, slack: SandboxSlack, chance: Chance): void {
  if (chance.percent(40)) forge.faults.add({ trouble: chance.of(ofForge), times: chance.between(1, 4) });
  else if (chance.percent(70)) slack.faults.next('chat.postMessage', chance.of(ofPosts), 1, mayFail(slack));
  else slack.faults.next(chance.of(others), chance.of(ofOthers));
}

const taken: Fault = { kind: 'slow', ms: 300 };
const onItsWay: Fault = { kind: 'silence' };

/** Resolves in the middle of a post: Slack accepted it without answering, or never will. */
export function amidPost(slack: SandboxSlack, chance: Chance, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    const lost = chance.percent(30);
    const arrived = (args: Args) => {
      if (lost && !mayFail(slack)(args)) return false;
      clearTimeout(timer);
      setImmediate(resolve);
      return true;
    };
    slack.faults.next('chat.postMessage', lost ? onItsWay : taken, 1, arrived);
  });
}

/** Resolves while the forge works on an answer, or after the time limit. */
export async function amidPoll(forge: SandboxForge, patienceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([forge.requests.next(/activities\/feeds|actions\/runs/), enough]);
  clearTimeout(timer);
}
