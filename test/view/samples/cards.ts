import type { KnownBlock } from '@slack/types';
import * as view from '../view.js';
import * as forge from './forge.js';

export const now = new Date('2026-08-20T12:00:00Z');
export const asker = 'U0ASKER';
export const known = 'U0KNOWN';

/** Returns the same data, or the same shape with other strings in it. */
type Change = <T>(data: T) => T;

type Draw = (change: Change, look: view.Look) => readonly KnownBlock[];

const says = view.md`${view.mention(known, 'ada')} closed`;

/** Every card, drawn from samples that `change` may spoil first. */
export const cards: Readonly<Record<string, Draw>> = {
  issue: (change, look) => view.issueCard(change(forge.issue), look),
  pull: (change, look) => view.pullCard(change(forge.pull), look, change(forge.reviews)),
  run: (change, look) => view.runCard(change(forge.run), { ...look, notes: change(['no runner has its labels']) }),
  job: (change, look) => view.jobCard(change(forge.job), look),
  repository: (change, look) => view.repositoryCard(change(forge.repository), look),
  notification: (change, look) => view.notificationRow(change(forge.thread), look),
  runner: (change, look) => view.runnerCard(change(forge.runner), look),
  cron: (change, look) => view.cronRow(change(forge.cron), look),
  hook: (change, look) => view.hookCard(change(forge.hook), look),
  email: (change, look) => view.emailRow(change(forge.email), look),
  deployKey: (change, look) => view.keyCard(change(forge.deployKey), look),
  publicKey: (change, look) => view.keyCard(change(forge.publicKey), look),
  package: (change, look) => view.packageCard(change(forge.found), look),
  project: (change, look) => view.projectCard(change(forge.project), look),
  column: (change, look) => view.columnRow(change(forge.column), look),
  person: (change, look) =>
    view.personCard(change(forge.account), { slackUser: known, ...change({ how: 'linked' }) }, look),
  happened: (change, look) => view.issueCard(change(forge.issue), { ...look, says }),
  done: (change) => {
    const given = change({ title: 'Leaking pipe', fact: 'acme/engine', but: ['nobody is called bob'], pair: 'x' });
    return view.doneCard({
      says: view.md`Closed ${view.link('https://forge.test/1', given.title)}`,
      facts: [given.fact],
      but: given.but,
      details: [[given.pair, given.pair]],
    });
  },
  failure: (change) =>
    view.failureCard(
      change({ says: 'No issue #12.', next: 'Check it.', attempt: '/forge issue show', reference: 'a1' }),
    ),
  progress: (change) =>
    view.progressCard(
      { says: view.md`Copying ${change('acme/engine')}`, since: new Date('2026-08-20T11:58:00Z') },
      now,
    ),
  unknown: (change) =>
    view.unknownCard({
      asked: view.md`${change('create')}`,
      look: view.link(change('https://a.test'), change('here')),
    }),
  help: (change) =>
    view.helpCard(
      change({ slash: '/forge', groups: [{ name: 'Issues', entries: [{ usage: 'issue close', summary: 'Close' }] }] }),
    ),
  commandHelp: (change) =>
    view.commandHelpCard(
      change({
        slash: '/forge',
        name: 'issue close',
        summary: 'Close an issue.',
        fields: [{ name: 'issue', hint: 'owner/repo#12', required: true }],
        examples: ['issue close acme/engine#12'],
        aliases: ['close'],
      }),
    ),
  dryRun: (change) =>
    view.dryRunCard(
      change({
        command: '/forge run force-cancel 900',
        requests: [{ route: 'POST /repos/acme/engine', input: [['state', 'closed'] as const] }],
        who: 'Only maintainers can run this.',
        approval: 'one other maintainer',
        observed: [['Status', 'in_progress'] as const],
      }),
    ),
  audit: (change, look) =>
    view.auditRow(
      {
        at: now,
        milliseconds: 40,
        ...change({ who: 'ada', command: 'issue close', outcome: 'done', approvedBy: ['ben'] }),
      },
      look,
    ),
  approval: (change, look) => view.approvalCard({ ...approval, state: 'pending', ...drawn(change(asked)) }, look),
  decided: (change, look) =>
    view.approvalCard(
      { ...approval, state: 'changed', ...drawn(change({ ...asked, result: 'Run `41` ended by itself.' })) },
      look,
    ),
};

const asked = {
  line: '/forge run force-cancel 900',
  says: 'force-cancel run 41',
  reason: 'stuck',
  facts: [['Status', 'in_progress'] as const],
};

/** The wish is linked text from the forge. */
const drawn = ({ says, ...rest }: typeof asked & { readonly result?: string }) => ({
  ...rest,
  wish: view.link('https://forge.test/acme/engine/actions/runs/41', says),
});

const approval = {
  requester: view.mention(asker),
  deciders: view.mention(known),
  needed: 2,
  approved: [view.mention(known)],
  unobserved: true,
  expires: '2026-08-20T13:00:00Z',
};
