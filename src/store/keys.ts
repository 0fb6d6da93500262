type Type = 'string' | 'hash' | 'set' | 'zset' | 'list' | 'stream';

interface Family<Template extends string = string> {
  readonly type: Type;
  readonly life: string;
  readonly template: Template;
}

const family = <const Template extends string>(template: Template, type: Type, life: string): Family<Template> => ({
  type,
  life,
  template,
});

const kept = 'until removed';

/** Every key there is; braces mark the hash tag, which the keys of one script share; `<:lane>` may be missing. @internal Tests walk the list. */
export const catalog = {
  // the namespace itself
  namespace: family('bellows:<forge>:namespace', 'hash', kept),
  // the slot of the command queue: in a cluster the rest may work while that part does not
  probe: family('bellows:{bellows:<forge>:act}:probe', 'string', '1 minute'),

  // people of one workspace
  teams: family('bellows:<forge>:teams', 'set', kept),
  accounts: family('bellows:{<forge>:<team>}:accounts', 'hash', 'until sign-out'),
  accountIndex: family('bellows:{<forge>:<team>}:account-index', 'zset', 'until sign-out'),
  revoked: family('bellows:{<forge>:<team>}:revoked', 'set', 'until the person links again'),
  pending: family('bellows:{<forge>:<team>}:pending:<user>', 'list', '30 minutes'),
  settings: family('bellows:{<forge>:<team>}:settings:<user>', 'string', 'until sign-out'),
  undo: family('bellows:{<forge>:<team>}:undo:<user>', 'hash', 'a few minutes'),
  agents: family('bellows:{<forge>:agents}:all', 'hash', 'an entry until it is revoked, or 7 days after it expired'),
  agentsUsed: family('bellows:{<forge>:agents}:used', 'hash', 'as long as its entry in all'),
  call: family('bellows:<forge>:call:<id>', 'string', '24 hours'),
  linkOffer: family('bellows:{<forge>:<team>}:link-offer:<user>', 'hash', '10 minutes'),
  renewing: family('bellows:{<forge>:<team>}:renewing:<user>', 'string', 'while a token is renewed'),
  renewals: family('bellows:{<forge>:<team>}:renewals', 'string', kept),
  signIn: family('bellows:<forge>:sign-in:<state>', 'string', '10 minutes, or until the browser comes back'),
  signInStarts: family('bellows:<forge>:sign-in-starts:<team>:<user>', 'string', '10 minutes'),
  departures: family('bellows:<forge>:departures', 'hash', 'an entry until their subscriptions are settled'),
  departuresLooked: family('bellows:<forge>:departures-looked', 'string', kept),

  // one job
  once: family('bellows:<forge>:once:<mark>:<job>', 'string', '24 hours'),

  // work that only one of several people should do
  claim: family('bellows:<forge>:claim:<what>', 'string', '10 minutes'),

  // people chosen as reviewers in turn
  rounds: family('bellows:<forge>:rounds', 'zset', 'the last 10,000 people'),

  // how long requested reviews have waited
  clocks: family('bellows:<forge>:clocks:<repo>', 'hash', '30 days after its last look'),

  // runs whose progress is shown to the person who started them
  follows: family('bellows:{<forge>:follows}:all', 'hash', 'an entry until its run is over, a day at most'),
  followsDue: family('bellows:{<forge>:follows}:due', 'zset', 'as long as its entry in all'),

  // runners that are disabled for a while
  drains: family('bellows:{<forge>:drains}:all', 'hash', 'an entry until its runner is idle or enabled again'),
  queues: family('bellows:{<forge>:queues}:all', 'hash', 'an entry until a week after it became empty'),
  queuesDue: family('bellows:{<forge>:queues}:due', 'zset', 'as long as its entry in all'),
  drainsDue: family('bellows:{<forge>:drains}:due', 'zset', 'as long as its entry in all'),

  // reviews that one person took
  reviews: family('bellows:{<forge>:reviews}:all', 'hash', 'an entry until it is handed back or offered again'),
  reviewsDue: family('bellows:{<forge>:reviews}:due', 'zset', 'as long as its entry in all'),

  // pull requests whose cards show checks
  checksOf: family('bellows:{<forge>:checks}:of:<repo>', 'hash', '30 days after its last change'),
  checksDue: family('bellows:{<forge>:checks}:due', 'zset', 'an entry until its checks are at rest'),

  // cards under links that people posted
  links: family('bellows:{<forge>:links}:of:<item>', 'hash', '7 days after the last link'),
  linksDue: family('bellows:{<forge>:links}:due', 'zset', 'an entry until the cards were drawn again'),

  // each person's commands
  turns: family('bellows:{<forge>:person:<team>:<user>}:turns', 'zset', 'an entry until its command is over'),
  turnsEnded: family('bellows:{<forge>:person:<team>:<user>}:turns-ended', 'zset', '1 day'),

  // answers to people
  answer: family('bellows:{<forge>:answers}:item:<id>', 'hash', '24 hours'),
  answersDue: family('bellows:{<forge>:answers}:due', 'zset', 'an entry until it was delivered'),

  // approvals
  approval: family('bellows:{<forge>:approvals}:item:<id>', 'hash', '30 days after it was settled'),
  approvalsActive: family('bellows:{<forge>:approvals}:active', 'zset', 'an entry until it is settled'),
  approvalsBy: family('bellows:{<forge>:approvals}:by:<team>:<user>', 'set', 'an entry until it is settled'),

  // one deployment environment
  deployments: family('bellows:{<forge>:deploys:<environment>}:records', 'hash', 'the latest 200'),
  deploying: family('bellows:{<forge>:deploys:<environment>}:current', 'string', 'until the deployment is over'),
  freeze: family('bellows:{<forge>:deploys:<environment>}:freeze', 'string', 'until it ends'),

  // audit
  auditChain: family('bellows:{<forge>:audit}:chain', 'stream', 'until trimmed behind a checkpoint'),
  auditHead: family('bellows:{<forge>:audit}:head', 'hash', kept),
  auditForeign: family('bellows:{<forge>:audit}:foreign', 'list', 'the last 1,000 rows that someone else added'),
  auditCheckpoints: family('bellows:{<forge>:audit}:checkpoints', 'list', kept),

  // subscriptions: rows by target, and two indexes
  subscriptionsOf: family('bellows:{<forge>:subs}:of:<target>', 'hash', kept),
  subscriptionsIn: family('bellows:{<forge>:subs}:in:<team>:<channel>', 'hash', kept),
  subscriptionsBy: family('bellows:{<forge>:subs}:by:<team>:<user>', 'hash', kept),
  subscriptionNames: family('bellows:{<forge>:subs}:names', 'hash', kept),
  subscriptionChanges: family('bellows:{<forge>:subs}:changes', 'zset', 'the last 1,000 targets that changed'),
  formerNames: family('bellows:{<forge>:subs}:former', 'hash', kept),
  absences: family('bellows:{<forge>:subs}:absent', 'hash', 'an entry until it may be shown again'),
  handovers: family('bellows:{<forge>:subs}:handovers', 'hash', 'an entry until it is answered'),

  // one polled source
  sourcesDue: family('bellows:{<forge>:sources}:due', 'zset', 'an entry until the source is dropped'),
  inboxesDue: family('bellows:{<forge>:sources}:inboxes-due', 'zset', 'an entry until the source is dropped'),
  sourcesWoken: family('bellows:{<forge>:sources}:woken', 'zset', 'an entry until it is claimed'),
  sourcesClaimed: family('bellows:{<forge>:sources}:claimed', 'hash', 'an entry while it is read'),
  sourcesHeld: family('bellows:{<forge>:sources}:held', 'hash', 'an entry until it is claimed'),
  sourcesState: family('bellows:{<forge>:sources}:state', 'hash', 'an entry until the source is dropped'),
  mark: family('bellows:{<forge>:source:<source>}:mark', 'string', 'until the source is dropped'),
  log: family('bellows:{<forge>:source:<source>}:log', 'stream', 'an entry until it was fanned out'),
  logCursor: family('bellows:{<forge>:source:<source>}:cursor', 'hash', 'until the source is dropped'),
  own: family('bellows:{<forge>:source:<source>}:own', 'zset', '1 hour'),
  sourceLease: family('bellows:{<forge>:source:<source>}:lease', 'string', 'while a poll holds it'),
  sourceDeaths: family('bellows:{<forge>:source:<source>}:deaths', 'string', 'while a poll holds it, or 1 hour'),
  sourceFence: family('bellows:{<forge>:source:<source>}:fence', 'string', kept),

  // items that could not be read when their events were posted
  incompleteDue: family('bellows:{<forge>:incomplete}:due', 'zset', 'an entry until the item was read, a day at most'),
  incompleteSince: family('bellows:{<forge>:incomplete}:since', 'zset', 'as long as its entry in due'),
  incompleteItem: family('bellows:{<forge>:incomplete}:item:<item>', 'hash', '2 days'),

  // one channel
  channel: family('bellows:{<forge>:channel:<team>:<channel>}:about', 'hash', kept),
  channelFacts: family('bellows:{<forge>:channel:<team>:<channel>}:facts', 'string', '1 day'),
  outboxOrder: family('bellows:{<forge>:channel:<team>:<channel>}:order<:lane>', 'zset', 'until it is settled'),
  outboxEntries: family('bellows:{<forge>:channel:<team>:<channel>}:entries<:lane>', 'hash', 'until it is settled'),
  outboxCards: family('bellows:{<forge>:channel:<team>:<channel>}:cards<:lane>', 'hash', 'until it is settled'),
  outboxHad: family('bellows:{<forge>:channel:<team>:<channel>}:had<:lane>', 'zset', '7 days an entry'),
  outboxIntent: family('bellows:{<forge>:channel:<team>:<channel>}:intent<:lane>', 'string', 'until it is settled'),
  outboxState: family('bellows:{<forge>:channel:<team>:<channel>}:state<:lane>', 'hash', kept),
  outboxAside: family('bellows:{<forge>:channel:<team>:<channel>}:aside<:lane>', 'hash', '7 days after the last'),
  channelLease: family('bellows:{<forge>:channel:<team>:<channel>}:lease<:lane>', 'string', 'while it is drained'),
  channelDeaths: family(
    'bellows:{<forge>:channel:<team>:<channel>}:deaths<:lane>',
    'string',
    'while it is drained, or 1 hour',
  ),
  channelFence: family('bellows:{<forge>:channel:<team>:<channel>}:fence<:lane>', 'string', kept),
  thread: family('bellows:{<forge>:channel:<team>:<channel>}:thread:<item>', 'string', '90 days after its last use'),
  threadItem: family('bellows:{<forge>:channel:<team>:<channel>}:item:<ts>', 'string', '90 days after its last use'),
  shownEvents: family('bellows:{<forge>:channel:<team>:<channel>}:shown:<ts>', 'string', '14 days'),
  reply: family('bellows:{<forge>:channel:<team>:<channel>}:reply:<ts>', 'string', '1 hour'),
  replied: family('bellows:{<forge>:channel:<team>:<channel>}:replied:<comment>', 'string', '2 days'),
  said: family('bellows:{<forge>:channel:<team>:<channel>}:said:<item>:<action>', 'string', '1 hour'),
  replying: family('bellows:{<forge>:channel:<team>:<channel>}:replying:<item>', 'string', '10 minutes'),
  outboxesPending: family('bellows:{<forge>:outboxes}:pending', 'zset', 'an entry while the outbox holds something'),
  outboxesAside: family('bellows:{<forge>:outboxes}:aside', 'zset', '7 days an entry'),
  lostChannels: family('bellows:{<forge>:outboxes}:lost', 'hash', 'an entry until Slack takes messages again'),
  leftOut: family(
    'bellows:{<forge>:outboxes}:left:<team>:<channel><:lane>',
    'set',
    'until the outbox was posted, at most 90 days',
  ),
  outboxesCount: family('bellows:{<forge>:outboxes}:count', 'string', kept),

  // reminders
  reminders: family('bellows:{<forge>:reminders}:all', 'hash', kept),
  remindersChanged: family('bellows:{<forge>:reminders}:changed', 'string', kept),
  remindersLooked: family('bellows:{<forge>:reminders}:looked', 'string', kept),

  // periodic work, done by one of all workers
  interval: family('bellows:<forge>:interval:<name>', 'string', 'until the next is due'),

  // Slack's rate limits, shared by all workers
  pace: family('bellows:{<forge>:pace:<of>}:<scope>', 'string', 'until the pace is free again'),

  // decisions, for `why`
  decisions: family('bellows:{<forge>:why:<shard>}:<address>', 'list', '14 days'),
} as const;

type Catalog = typeof catalog;
type NamesIn<T extends string> = T extends `${string}<${infer Name}>${infer Rest}` ? Name | NamesIn<Rest> : never;
type Parts<T extends string> = Exclude<NamesIn<T>, 'forge'>;
type Value = string | number;
type Maker<T extends string> = [Parts<T>] extends [never]
  ? () => string
  : (
      parts: { readonly [Name in Parts<T> as Name extends `:${string}` ? never : Name]: Value } & {
        readonly [Name in Parts<T> as Name extends `:${infer Optional}` ? Optional : never]?: Value | undefined;
      },
    ) => string;

export type Keys = { readonly [Name in keyof Catalog]: Maker<Catalog[Name]['template']> };

/** `keys.pending({ team, user })`: the key's name for this forge. */
export function createKeys(forge: string): Keys {
  const makers = Object.entries(catalog).map(([name, { template }]) => [name, maker(template, forge)]);
  return Object.fromEntries(makers);
}

function maker(template: string, forge: string): (parts?: Readonly<Record<string, Value | undefined>>) => string {
  const named = template.replaceAll('<forge>', encodeURIComponent(forge));
  return (parts = {}) =>
    named.replace(/<(:?)(\w+)>/g, (_, colon: string, name: string) => {
      const { [name]: value = '' } = parts;
      if (value === '' && colon === '') throw new Error(`The key ${template} lacks its ${name}.`);
      return value === '' ? '' : `${colon}${encodeURIComponent(value)}`;
    });
}

/** BullMQ's keys use this prefix, each queue in its own slot. */
export const queuePrefix = (forge: string, queue: string): string => `{bellows:${forge}:${queue}}`;
