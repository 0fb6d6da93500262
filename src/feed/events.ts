import { prettyBody } from '../view/body.js';
import { count, frame, person, some, team } from '../view/look.js';
import { type Message, message } from '../view/message.js';
import {
  bold,
  code,
  codeBlock,
  dateToken,
  join,
  link,
  type Mrkdwn,
  md,
  code as mono,
  quote,
  type Value,
} from '../view/text.js';
import { date, describeElapsed } from '../view/when.js';
import type { Event, EventOf, Kind, Outcome, Push, RepoRef, RunFacts } from './event.js';
import type { Style } from './filter.js';
import type { Checks, ItemState } from './item.js';
import { type DrawPorts, plainPorts } from './ports.js';
import { type Standing, stand, standingWord } from './standing.js';

/** An event as text: who did what to which item, and details for a quiet line. */
interface EventWords {
  readonly says: Mrkdwn;
  readonly subject: Mrkdwn;
  readonly facts: readonly (Value | undefined)[];
  /** Lines below: commits, a comment's text. */
  readonly notes?: readonly Value[];
  /** It is over: one line without state and buttons. */
  readonly alone?: true;
}

interface Scene {
  readonly now: Date;
  readonly standing: Standing;
  /** In its item's thread, where the title is right above. */
  readonly reply: boolean;
  /** A person by login; mentioned only if it is not their own action. */
  who(login: string): Mrkdwn;
  /** The author of a commit; only people who opted in are mentioned for that. */
  author(login: string): Mrkdwn;
  /** A team `org/team`. */
  team(name: string): Mrkdwn;
}

type Renderer<K extends Kind> = (event: EventOf<K>, scene: Scene) => EventWords;

/** Nobody is mentioned for their own actions. */
function sceneOf(
  event: Event,
  standing: Standing,
  { now, mention, group }: Pick<DrawPorts, 'now' | 'mention' | 'group'>,
  reply = false,
): Scene {
  const own = event.actor?.login.toLowerCase();
  const who = (login: string): Mrkdwn =>
    person({ login }, { now, who: (name) => (name.toLowerCase() === own ? undefined : mention(name)) }) ?? md``;
  const author = (login: string): Mrkdwn => person({ login }, { now, who: mention }) ?? md``;
  return { now, standing, reply, who, author, team: (name) => team(name, { now, group }) };
}

const actor = (event: Event): Mrkdwn => (event.actor ? bold(event.actor.login) : md`Someone`);

export const repo = (event: Event): Mrkdwn => link(event.repo.url, event.repo.fullName);

/** `#12 Title`, with the current title; in its thread only the number. */
function linkNumber(event: Event, { standing, reply }: Scene): Mrkdwn {
  const isKnown = reply && event.item.number !== undefined;
  const title = isKnown ? '' : (standing.item?.title ?? event.item.title ?? '');
  const number = event.item.number === undefined ? '' : `#${event.item.number}`;
  return link(event.item.url, `${number} ${title}`.trim() || event.repo.fullName);
}

function itemFacts(event: Event, scene: Scene): (Value | undefined)[] {
  const { item, approvedBy = [], rejectedBy = [] } = scene.standing;
  const nameRequests = (words: string, logins: readonly string[] = [], teams: readonly string[] = []) => {
    const all = [...logins.map((login) => scene.who(login)), ...teams.map((name) => scene.team(name))];
    return all.length > 0 ? md`${words} ${some(all)}` : undefined;
  };
  const asked = item?.state === 'open' ? item : undefined;
  return [
    repo(event),
    describeReviewer(scene),
    describeDue(scene),
    ...changeFacts(item),
    nameRequests('assigned to', item?.assignees),
    nameRequests('approved by', approvedBy),
    nameRequests('changes requested by', rejectedBy),
    nameRequests('waiting on', asked?.reviewers, asked?.teams),
    openChecks(item),
    item?.milestone,
    item && item.labels.length > 0 ? some(item.labels.map((label) => code(label))) : undefined,
  ];
}

/** `grace is reviewing since 10:12` */
function describeReviewer({ standing: { reviewing }, who }: Scene): Mrkdwn | undefined {
  if (!reviewing) return undefined;
  const { login, since } = reviewing;
  const clock = new Date(since).toISOString().slice(11, 16);
  return md`👀 ${who(login)} is reviewing since ${dateToken(since / 1_000, '{time}', `${clock} UTC`)}`;
}

function describeDue({ standing: { reviewDue }, now }: Scene): Mrkdwn | undefined {
  if (reviewDue === undefined) return undefined;
  return reviewDue === 'late' ? md`⏰ review late` : md`⏰ review due ${date(reviewDue, now)}`;
}

/** Where a pull request goes, and how much it changes. */
const changeFacts = (item: ItemState | undefined): (Value | undefined)[] => [
  item?.base ? (item.head ? md`${code(item.base)} ← ${code(item.head)}` : code(item.base)) : undefined,
  item?.size ? sizeWords(item.size) : undefined,
];

const sizeWords = ({ additions, deletions, files }: NonNullable<ItemState['size']>): string =>
  `+${additions} −${deletions}${files > 0 ? ` · ${count(files, 'file')}` : ''}`;

const openChecks = (item: ItemState | undefined): string | undefined =>
  item?.checks && item.state === 'open' ? checkWords(item.checks) : undefined;

/** `⏳ 2 of 5 checks`, `✅ 5 checks`, `❌ 1 of 5 checks: lint` */
function checkWords({ total, passed, failed }: Checks): string {
  if (failed.length > 0) return `❌ ${failed.length} of ${count(total, 'check')}: ${failed.slice(0, 3).join(', ')}`;
  return passed === total ? `✅ ${count(total, 'check')}` : `⏳ ${passed} of ${count(total, 'check')}`;
}

const mostCommits = 5;

const commits = (event: Event, push: Push): Mrkdwn[] => {
  const rest = push.total - Math.min(push.commits.length, mostCommits);
  return [
    ...push.commits.slice(0, mostCommits).map(({ sha, message, author }) => {
      const page = link(`${event.repo.url}/commit/${encodeURIComponent(sha)}`, sha.slice(0, 8) || 'commit');
      return join([page, message, author ? `– ${author}` : undefined], ' ');
    }),
    ...(rest > 0 && push.commits.length > 0
      ? [push.compareUrl ? md`${link(push.compareUrl, `and ${rest} more`)}` : md`and ${rest} more`]
      : []),
  ];
};

const describePush =
  (who: (event: Event) => Mrkdwn) =>
  (event: EventOf<'commits:pushed' | 'mirrors:pushed'>): EventWords => {
    const { push } = event;
    const amount = push.total > 0 ? count(push.total, 'commit') : 'commits';
    const branch = link(event.item.url, push.branch || 'a branch');
    if (event.created && push.total === 0 && push.commits.length === 0)
      return { says: md`${who(event)} created branch`, subject: branch, facts: [repo(event)] };
    return {
      says: md`${who(event)} pushed`,
      subject: md`${push.compareUrl ? link(push.compareUrl, amount) : amount} to ${event.created ? md`the new branch ${branch}` : branch}`,
      facts: [repo(event)],
      notes: commits(event, push),
    };
  };

type RefKind =
  | 'branches:created'
  | 'branches:deleted'
  | 'tags:created'
  | 'tags:deleted'
  | 'mirrors:created'
  | 'mirrors:deleted';

const ref =
  (who: (event: Event) => Mrkdwn, verb: string, noun?: string) =>
  (event: EventOf<RefKind>): EventWords => {
    const gone = event.kind.endsWith(':deleted');
    return {
      says: md`${who(event)} ${verb} ${noun ?? event.item.kind}`,
      subject: gone ? mono(event.ref || 'unnamed') : link(event.item.url, event.ref || 'unnamed'),
      facts: [repo(event)],
    };
  };

const mirror = (): Mrkdwn => md`Mirror sync`;

const describeRelease: Renderer<'releases:published'> = (event) => ({
  says: md`${actor(event)} published release`,
  subject: link(event.item.url, event.item.title ?? event.tag),
  facts: [repo(event), event.tag === event.item.title ? undefined : mono(event.tag)],
});

const codeEvents = {
  'commits:pushed': describePush(actor),
  'mirrors:pushed': describePush(mirror),
  'branches:created': ref(actor, 'created', 'branch'),
  'branches:deleted': ref(actor, 'deleted', 'branch'),
  'tags:created': ref(actor, 'pushed', 'tag'),
  'tags:deleted': ref(actor, 'deleted', 'tag'),
  'mirrors:created': ref(mirror, 'created'),
  'mirrors:deleted': ref(mirror, 'deleted'),
  'releases:published': describeRelease,
};

/** Letters of a description. */
const excerptMax = 200;

const quoteText = (text: string, max = 400): Value[] => {
  const shown = prettyBody(text, max);
  return shown === '' ? [] : [quote(shown)];
};

const describeComment =
  (noun: string) =>
  (event: Event & { readonly text: string }, scene: Scene): EventWords => ({
    says: md`${actor(event)} commented on ${noun}`,
    subject: linkNumber(event, scene),
    facts: itemFacts(event, scene),
    notes: quoteText(event.text),
  });

type Review = EventOf<'reviews:approved' | 'reviews:rejected' | 'reviews:commented'>;

/** A verdict matters to the author; the reviewer knows it. */
const author = ({ standing, who }: Scene) => (standing.item?.author ? who(standing.item.author.login) : undefined);

const verdict =
  (verb: string) =>
  (event: Review, scene: Scene): EventWords => {
    const of = author(scene);
    return {
      says: of ? md`${actor(event)} ${verb} ${of}’s pull request` : md`${actor(event)} ${verb} pull request`,
      subject:
        event.comments > 0
          ? md`${linkNumber(event, scene)} with ${count(event.comments, 'comment')}`
          : linkNumber(event, scene),
      facts: itemFacts(event, scene),
      notes: quoteText(event.text),
    };
  };

const describeDismissal: Renderer<'reviews:dismissed'> = (event, scene) => ({
  says: event.reviewer
    ? md`${actor(event)} dismissed ${scene.who(event.reviewer)}’s review of`
    : md`${actor(event)} dismissed a review on`,
  subject: linkNumber(event, scene),
  facts: itemFacts(event, scene),
  notes: quoteText(event.text),
});

/** Below it, the quiet line says who is asked now; a group is mentioned there, or in a reply here. */
const describeReviewRequest: Renderer<'reviews:requested'> = (event, scene) => {
  const { people, teams } = event.asked;
  const names = [
    ...teams.map((name) => (scene.reply ? scene.team(name) : bold(name))),
    ...people.map((login) => {
      const name = scene.reply ? scene.who(login) : bold(login);
      const team = event.memberOf?.[login];
      return team === undefined ? name : md`${name} (${team})`;
    }),
  ];
  return {
    says: md`${actor(event)} requested a review from ${some(names)} on`,
    subject: linkNumber(event, scene),
    facts: itemFacts(event, scene),
    notes: scene.reply ? [] : quoteText(scene.standing.item?.excerpt ?? '', excerptMax),
  };
};

const talk = {
  'reviews:requested': describeReviewRequest,
  'comments:issue': describeComment('issue'),
  'comments:pull': describeComment('pull request'),
  'reviews:approved': verdict('approved'),
  'reviews:rejected': verdict('requested changes on'),
  'reviews:commented': verdict('reviewed'),
  'reviews:dismissed': describeDismissal,
};

const describeAct =
  (verb: string, noun: string) =>
  (event: Event, scene: Scene): EventWords => ({
    says: md`${actor(event)} ${verb} ${noun}`,
    subject: linkNumber(event, scene),
    facts: itemFacts(event, scene),
  });

/** With the first words of what was opened. */
const describeOpening =
  (noun: string) =>
  (event: Event, scene: Scene): EventWords => ({
    ...describeAct('opened', noun)(event, scene),
    notes: quoteText(scene.standing.item?.excerpt ?? '', excerptMax),
  });

/** Search results do not say who added the label. */
const describeLabel =
  (noun: string) =>
  (event: Event & { readonly label?: string }, scene: Scene): EventWords => ({
    says: event.label ? md`Labeled ${code(event.label)}: ${noun}` : md`A label was added to ${noun}`,
    subject: linkNumber(event, scene),
    facts: itemFacts(event, scene),
  });

const describeMerge: Renderer<'pulls:merged'> = (event, scene) => ({
  says: event.auto ? md`${actor(event)} auto-merged pull request` : md`${actor(event)} merged pull request`,
  subject: event.push ? md`${linkNumber(event, scene)} into ${code(event.push.branch)}` : linkNumber(event, scene),
  facts: itemFacts(event, scene),
});

const ready: Renderer<'pulls:ready'> = (event, scene) => ({
  says: md`Ready for review: pull request`,
  subject: linkNumber(event, scene),
  facts: itemFacts(event, scene),
});

const items = {
  'issues:opened': describeOpening('issue'),
  'issues:closed': describeAct('closed', 'issue'),
  'issues:reopened': describeAct('reopened', 'issue'),
  'issues:labeled': describeLabel('issue'),
  'pulls:opened': describeOpening('pull request'),
  'pulls:closed': describeAct('closed', 'pull request'),
  'pulls:reopened': describeAct('reopened', 'pull request'),
  'pulls:labeled': describeLabel('pull request'),
  'pulls:merged': describeMerge,
  'pulls:ready': ready,
};

const describePlainly =
  (verb: string) =>
  (event: Event): EventWords => ({ says: md`${actor(event)} ${verb}`, subject: repo(event), facts: [] });

const describeMove =
  (verb: string) =>
  (event: Event & { readonly was?: string }): EventWords => ({
    says: event.was ? md`${actor(event)} ${verb} ${code(event.was)} to` : md`${actor(event)} ${verb}`,
    subject: repo(event),
    facts: [],
  });

/** A newer forge may report actions this Bellows does not know. */
const other: Renderer<'repos:other'> = (event) => ({
  says: event.actor ? md`New activity by ${actor(event)}` : md`New activity`,
  subject: event.op ? md`(${code(event.op)}) in ${repo(event)}` : md`in ${repo(event)}`,
  facts: [],
});

type Inbox = EventOf<Extract<Kind, `inbox:${string}`>>;

const verbs = {
  commented: 'commented on',
  approved: 'approved',
  rejected: 'requested changes on',
  reviewed: 'reviewed',
  opened: 'opened',
  closed: 'closed',
  reopened: 'reopened',
  merged: 'merged',
  pushed: 'pushed to',
} as const;

/** Who did what if the item says so, otherwise what the person should do. */
function why({ did, kind, actor: by }: Inbox, who: Mrkdwn, words: Words): Mrkdwn {
  if (!by && (did === 'closed' || did === 'merged')) return did === 'closed' ? md`Closed:` : md`Merged:`;
  if (did === undefined) return by ? md`${who} ${words.did}` : md`${words.plain}`;
  return did === 'commented' && kind === 'inbox:mentioned' ? md`${who} mentioned you in` : md`${who} ${verbs[did]}`;
}

interface Words {
  /** Follows the name of the person who did it. */
  readonly did: string;
  /** Used if nobody knows who did it. */
  readonly plain: string;
}

const describeRequest =
  (words: Words) =>
  (event: Inbox, scene: Scene): EventWords => ({
    says: why(event, actor(event), words),
    subject: linkNumber(event, scene),
    facts: [repo(event), event.commentUrl ? link(event.commentUrl, 'latest comment') : undefined],
    notes: quoteText(event.words ?? ''),
  });

/** What there is to review or to do, where nobody wrote a comment about it. */
const describeAssignment =
  (words: Words) =>
  (event: Inbox, scene: Scene): EventWords => {
    const { item } = scene.standing;
    const { facts, notes = [], ...rest } = describeRequest(words)(event, scene);
    const description = scene.reply || event.did !== undefined ? '' : (item?.excerpt ?? '');
    return {
      ...rest,
      facts: [...facts, ...changeFacts(item), openChecks(item)],
      notes: notes.length > 0 ? notes : quoteText(description, excerptMax),
    };
  };

const others = {
  'repos:created': describePlainly('created'),
  'repos:starred': describePlainly('starred'),
  'repos:watched': describePlainly('started watching'),
  'repos:renamed': describeMove('renamed'),
  'repos:transferred': describeMove('transferred'),
  'repos:other': other,
  'inbox:review_requested': describeAssignment({
    did: 'requested your review on',
    plain: 'Your review was requested on',
  }),
  'inbox:assigned': describeAssignment({ did: 'assigned you to', plain: 'You were assigned to' }),
  'inbox:mentioned': describeRequest({ did: 'mentioned you in', plain: 'You were mentioned in' }),
  'inbox:replied': describeRequest({ did: 'replied on', plain: 'New reply on' }),
  'inbox:activity': describeRequest({ did: 'updated', plain: 'New activity on' }),
};

type OpenRun = EventOf<'runs:waiting' | 'runs:stuck'>;

const linkOpenRun = ({ item, run }: OpenRun) => link(item.url, `run ${run.number}`);

const nameOpenRun = (event: OpenRun) =>
  event.item.title ? md`${event.item.title}, ${linkOpenRun(event)}` : linkOpenRun(event);

function workflowFiles(files: readonly string[] | undefined): Mrkdwn | undefined {
  if (!files) return undefined;
  return files.length === 0
    ? md`No workflow files changed.`
    : md`⚠️ Changes workflow files: ${some(files.map((file) => code(file)))}`;
}

/** `#12 Title by linus, first-time contributor` */
function pullOf({ repo: at, run: { waiting } }: OpenRun, who: Scene['who']): Mrkdwn | undefined {
  if (!waiting) return undefined;
  const { pull, url, title, author, firstTime } = waiting;
  const name = link(url ?? `${at.url}/pulls/${pull}`, title ? `#${pull} ${title}` : `#${pull}`);
  const by = author === undefined ? md`` : md` by ${who(author)}`;
  const before = firstTime === undefined ? '' : firstTime ? ', first-time contributor' : ', contributed before';
  return md`Pull request ${name}${by}${before}`;
}

/** A run of a fork's pull request: who wants it, and what it could do. */
function waiting(event: OpenRun, scene: Scene): EventWords {
  const { run } = event;
  const isOver = scene.standing.stage !== 'waiting';
  const says = isOver ? md`${run.workflow}:` : md`${run.workflow} needs approval to run:`;
  const notes: (Value | undefined)[] = [pullOf(event, scene.who), workflowFiles(run.waiting?.files)];
  return {
    says: bold(says),
    subject: nameOpenRun(event),
    notes: notes.filter((note) => note !== undefined),
    facts: [repo(event), run.branch === '' ? undefined : code(run.branch)],
  };
}

function stuck(event: OpenRun, scene: Scene): EventWords {
  const { run, actor } = event;
  const isOver = scene.standing.stage !== 'stuck';
  const says = isOver ? md`${run.workflow} looked stuck:` : md`${run.workflow} looks stuck on ${code(run.branch)}:`;
  return {
    says: bold(says),
    subject: nameOpenRun(event),
    notes: isOver ? [] : (run.symptoms ?? []).slice(0, 5),
    facts: [repo(event), actor ? md`by ${scene.who(actor.login)}` : undefined],
  };
}

const openRuns = { 'runs:waiting': waiting, 'runs:stuck': stuck };

/** `Job build failed at npm test` */
function place({ why }: RunFacts): Mrkdwn | undefined {
  if (why?.job === undefined) return undefined;
  return why.step === undefined
    ? md`Job ${bold(why.job)} failed`
    : md`Job ${bold(why.job)} failed at ${bold(why.step)}`;
}

const shown = 5;

/** The commits since the last green run, with their authors. */
function since({ why }: RunFacts, repo: RepoRef, who: (login: string) => Mrkdwn): Mrkdwn | undefined {
  const commits = why?.commits ?? [];
  if (commits.length === 0) return undefined;
  const rows = commits.slice(0, shown).map(({ sha, message, author, login }) => {
    const name = link(`${repo.url}/commit/${encodeURIComponent(sha)}`, message || sha.slice(0, 8));
    if (author === '') return md`• ${name}`;
    return md`• ${name} by ${login === undefined ? author : who(login)}`;
  });
  const more = commits.length > shown ? md`\n• ${commits.length - shown} more` : md``;
  const list = rows.reduce((all, row) => md`${all}\n${row}`);
  return md`${count(commits.length, 'commit')} since it last passed:\n${list}${more}`;
}

function elsewhere({ why }: RunFacts): Mrkdwn | undefined {
  const branches = why?.elsewhere ?? [];
  if (branches.length === 0) return undefined;
  const names = some(branches.map((branch) => code(branch)));
  return md`The same job also failed on ${names}, so this may be a flaky test or an infrastructure problem.`;
}

/** Below the first line of a failed run: where, why, since when. */
function whyNotes(run: RunFacts, repo: RepoRef, who: (login: string) => Mrkdwn): readonly Value[] {
  const lines = run.why?.lines ?? [];
  const log = lines.length > 0 ? codeBlock(lines.join('\n')) : undefined;
  return [place(run), log, since(run, repo, who), elsewhere(run)].filter((note) => note !== undefined);
}

type RunEvent = EventOf<`runs:${Outcome}`>;

const plain: Readonly<Record<Outcome, string>> = {
  failure: 'failed',
  success: 'passed',
  cancelled: 'was canceled',
  skipped: 'was skipped',
};

function headline({ run }: RunEvent, outcome: Outcome) {
  const did = run.transition?.to === 'green' ? 'passes again' : plain[outcome];
  return bold(md`${run.workflow} ${did} on ${code(run.branch)}:`);
}

/** `run 31`, the number on the forge's page. */
const linkRun = (event: RunEvent) => link(event.item.url, `run ${event.run.number}`);

function subject(event: RunEvent) {
  const { brokenAt, to, since: broken } = event.run.transition ?? {};
  const { attempt, id } = event.run;
  if (to === 'green' && brokenAt !== undefined && broken === id && attempt > 1)
    return md`${linkRun(event)} passed on attempt ${attempt}, ${between(brokenAt, event.at)} after it failed`;
  if (to === 'green' && brokenAt !== undefined)
    return md`fixed by ${linkRun(event)} after ${between(brokenAt, event.at)}`;
  return event.item.title ? md`${event.item.title}, ${linkRun(event)}` : linkRun(event);
}

/** Seconds say nothing beside minutes. */
function between(from: string, to: string): string {
  const passed = Date.parse(to) - Date.parse(from);
  return describeElapsed(passed < minute ? passed : Math.floor(passed / minute) * minute);
}

const minute = 60_000;

/** Durations under a second are left out. */
const took = (seconds: number | undefined): string | undefined =>
  seconds === undefined || seconds < 1 ? undefined : `took ${describeElapsed(seconds * 1_000)}`;

/** For the card of the run that broke it. */
function describeFix(event: RunEvent, { standing: { fixedBy } }: Scene): Value | undefined {
  if (!fixedBy || event.run.transition?.to !== 'red') return undefined;
  const { url, number, at, sha, title, by } = fixedBy;
  const name = title || sha?.slice(0, 8);
  const commit = sha && name ? md` with ${link(commitPage(event, sha), name)}` : md``;
  const author = commit.empty || by === undefined ? md`` : md` by ${by}`;
  return md`Fixed by ${link(url, `run ${number}`)}${commit}${author} after ${between(event.at, at)}`;
}

const commitPage = ({ repo: at }: RunEvent, sha: string) => `${at.url}/commit/${encodeURIComponent(sha)}`;

/** `Last passed in run 11, 2 h earlier` */
function lastPassed({ at, run: { transition } }: RunEvent): Value | undefined {
  const last = transition?.lastGreen;
  if (!last) return undefined;
  const before = Date.parse(at) - Date.parse(last.at) < 1_000 ? md`` : md`, ${between(last.at, at)} earlier`;
  return md`last passed in ${link(last.url, `run ${last.number}`)}${before}`;
}

/** A rerun of the same run passed: its log and its buttons are no longer of use. */
function passedLater({ at }: RunEvent, passed: NonNullable<Standing['passed']>) {
  // some servers count no attempts
  const how = passed.attempt > 1 ? `on attempt ${passed.attempt}` : 'after a rerun';
  return { says: md`✅ Passed ${how} · ${between(at, passed.at)} after it failed ·`, facts: [], alone: true } as const;
}

const ran =
  (outcome: Outcome) =>
  (event: RunEvent, scene: Scene): EventWords => {
    const { run } = event;
    const { passed } = scene.standing;
    if (outcome === 'failure' && passed) return { ...passedLater(event, passed), subject: subject(event) };
    const notes = outcome === 'failure' ? whyNotes(run, event.repo, scene.author) : [];
    return {
      says: headline(event, outcome),
      notes,
      subject: subject(event),
      facts: [
        describeFix(event, scene),
        repo(event),
        run.sha === '' ? undefined : link(commitPage(event, run.sha), run.sha.slice(0, 8)),
        lastPassed(event),
        run.attempt > 1 ? `attempt ${run.attempt}` : undefined,
        took(run.seconds),
        event.actor ? md`by ${scene.who(event.actor.login)}` : undefined,
      ],
    };
  };

const runs = {
  'runs:failure': ran('failure'),
  'runs:success': ran('success'),
  'runs:cancelled': ran('cancelled'),
  'runs:skipped': ran('skipped'),
};

/** One renderer per kind; a kind without one does not compile. */
const renderers = { ...items, ...talk, ...codeEvents, ...runs, ...openRuns, ...others } satisfies {
  readonly [K in Kind]: Renderer<K>;
};

function tell(event: Event, scene: Scene): EventWords {
  // the list above ties every renderer to its kind, which the compiler cannot follow through a lookup
  return (renderers[event.kind] as Renderer<Kind>)(event, scene);
}

interface Drawing {
  readonly event: Event;
  readonly style: Style;
  /** The current state; if absent, only this event is known. */
  readonly standing?: Standing | undefined;
  /** In its item's thread, the title, the repository and the state are already visible. */
  readonly reply?: boolean;
  /** Teams whose review was requested since the card was last drawn. */
  readonly asked?: readonly string[];
}

/** An event as a message. The same text makes the channel's card, which is redrawn as its state changes. */
export function draw(
  { event, style, standing = stand(undefined, event, undefined), reply = false, asked = [] }: Drawing,
  ports: DrawPorts,
): Message {
  const scene = sceneOf(event, standing, ports);
  const { says, subject, facts, notes = [], alone } = tell(event, scene);
  const look = { now: ports.now, says, style, notes };
  if (reply) {
    const named = 'asked' in event ? event.asked.teams : [];
    const others = asked.filter((team) => !named.includes(team));
    const called = others.length > 0 ? [md`Review requested from ${some(others.map((team) => scene.team(team)))}`] : [];
    const below = tell(event, sceneOf(event, standing, ports, true));
    const noted = { ...look, says: below.says, style: 'card' as const, notes: [...(below.notes ?? []), ...called] };
    const blocks = frame({ subject: below.subject }, noted);
    return message({ text: join([says, subject], ' '), blocks });
  }
  if (alone) return message({ text: join([says, subject], ' '), blocks: frame({ subject }, { now: ports.now, says }) });
  const state = standingWord(event, standing);
  if (style === 'line') {
    const line = join([state && emoji(state), says], ' ');
    return message({
      text: join([line, subject], ' '),
      blocks: frame({ subject, facts: [facts[0]] }, { ...look, says: line }),
    });
  }
  const controls = ports.actions(event, standing);
  return message({
    text: join([says, subject], ' '),
    blocks: frame({ subject, facts, ...(state && { state }) }, { ...look, ...controls }),
  });
}

const emoji = (state: string): string => state.split(' ', 1)[0] ?? '';

/** One line for digests. */
export function lineOf(event: Event, item: ItemState | undefined, ports: DrawPorts): Mrkdwn {
  const quiet = plainPorts(ports.now);
  const { says, subject } = tell(event, sceneOf(event, stand(undefined, event, item), quiet));
  return join([says, subject], ' ');
}
