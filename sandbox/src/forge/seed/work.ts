import type { World } from '../world/index.js';

type Step = readonly [daysAgo: number, act: (world: World) => void];

const engine = 'acme/engine';
const website = 'acme/website';
const vault = 'acme/vault';
const notes = 'linus/notes';

/** Issues, pushes and pull requests, oldest first: numbers follow from the order. */
export const work: readonly Step[] = [
  [29, (w) => w.addMilestone({ repo: engine, title: '1.0' })],
  [29, (w) => w.addMilestone({ repo: website, title: 'Launch' })],
  [28, (w) => w.push({ as: 'ada', repo: engine, branch: 'main', commits: ['Add the mill', 'Add the store'] })],
  [
    27,
    (w) =>
      w.openIssue({
        as: 'grace',
        repo: engine,
        title: 'Carry is lost after ten columns',
        body: 'Seen on every tenth turn. @ada knows the gears.',
        labels: ['bug'],
        assignees: ['ada'],
        milestone: '1.0',
      }),
  ],
  [
    26,
    (w) =>
      w.openIssue({ as: 'ada', repo: engine, title: 'Print results on paper', labels: ['feature'], milestone: '1.0' }),
  ],
  [25, (w) => w.comment({ as: 'ada', repo: engine, index: 1, body: 'I can repeat it. The third gear slips.' })],
  [24, (w) => w.openIssue({ as: 'linus', repo: website, title: 'Dark mode', body: 'My eyes.', labels: ['feature'] })],
  [
    23,
    (w) =>
      w.openIssue({
        as: 'margaret',
        repo: website,
        title: 'Typo on the first page',
        labels: ['docs'],
        assignees: ['grace'],
      }),
  ],
  [
    22,
    (w) =>
      w.push({
        as: 'grace',
        repo: engine,
        branch: 'fix-carry',
        commits: [{ message: 'Hold the third gear', files: ['src/gear.go'] }],
      }),
  ],
  [
    22,
    (w) =>
      w.openPull({
        as: 'grace',
        repo: engine,
        title: 'Hold the third gear',
        body: 'Closes #1',
        head: 'fix-carry',
        labels: ['bug'],
      }),
  ],
  [21, (w) => w.requestReview({ as: 'grace', repo: engine, index: 3, from: ['ada', 'margaret'] })],
  [20, (w) => w.review({ as: 'ada', repo: engine, index: 3, verdict: 'approve', body: 'Works on my engine.' })],
  [20, (w) => w.merge({ as: 'ada', repo: engine, index: 3, deleteBranch: true })],
  [20, (w) => w.close({ as: 'ada', repo: engine, index: 1 })],
  [19, (w) => w.close({ as: 'grace', repo: website, index: 2 })],
  [
    18,
    (w) =>
      w.openIssue({
        as: 'margaret',
        repo: engine,
        title: 'Alarm 1202 under load',
        body: 'The queue fills and work is dropped.\n\n| column | state |\n|---|---|\n| 3 | lost |',
        labels: ['bug', 'urgent'],
        assignees: ['grace'],
      }),
  ],
  [17, (w) => w.openIssue({ as: 'ada', repo: vault, title: 'Rotate the signing keys', assignees: ['ada'] })],
  [
    16,
    (w) =>
      w.push({
        as: 'linus',
        repo: website,
        branch: 'dark-mode',
        commits: [{ message: 'Paint it black', files: ['style/dark.css'] }],
      }),
  ],
  [16, (w) => w.openPull({ as: 'linus', repo: website, title: 'Dark mode', head: 'dark-mode', labels: ['feature'] })],
  [15, (w) => w.requestReview({ as: 'linus', repo: website, index: 3, from: ['grace'], teams: ['review'] })],
  [
    14,
    (w) =>
      w.review({
        as: 'margaret',
        repo: website,
        index: 3,
        verdict: 'reject',
        body: 'The links are unreadable.',
        comments: ['Too dark.'],
      }),
  ],
  [
    13,
    (w) =>
      w.push({
        as: 'dependabot-bot',
        repo: website,
        branch: 'bump-leftpad',
        commits: [{ message: 'Bump left-pad from 1.0 to 1.3', files: ['package.json'] }],
      }),
  ],
  [
    13,
    (w) =>
      w.openPull({ as: 'dependabot-bot', repo: website, title: 'Bump left-pad from 1.0 to 1.3', head: 'bump-leftpad' }),
  ],
  [
    12,
    (w) =>
      w.push({
        as: 'grace',
        repo: engine,
        branch: 'printer',
        commits: [
          { message: 'Add a printer', files: ['src/printer.go'] },
          { message: 'Feed paper', files: ['src/paper.go'] },
        ],
      }),
  ],
  [12, (w) => w.openPull({ as: 'grace', repo: engine, title: 'WIP: print results', body: 'For #2', head: 'printer' })],
  [11, (w) => w.tag({ as: 'ada', repo: engine, tag: 'v0.9' })],
  [11, (w) => w.release({ as: 'ada', repo: engine, tag: 'v0.9', title: 'First turn of the crank' })],
  [
    10,
    (w) => w.openIssue({ as: 'linus', repo: engine, title: 'Build fails on my machine', body: 'Of course it does.' }),
  ],
  [9, (w) => w.comment({ as: 'grace', repo: engine, index: 6, body: '@linus which compiler?' })],
  [
    8,
    (w) =>
      w.openIssue({ as: 'margaret', repo: engine, title: 'Document the punch cards | part one', labels: ['docs'] }),
  ],
  [
    7,
    (w) => w.openIssue({ as: 'grace', repo: website, title: 'Escape <!channel> & <@U123> in titles', labels: ['bug'] }),
  ],
  [6, (w) => w.openIssue({ as: 'ada', repo: website, title: 'Launch checklist', milestone: 'Launch' })],
  [5, (w) => w.dependOn({ as: 'ada', repo: website, index: 6, by: 5 })],
  [5, (w) => w.openIssue({ as: 'ada', repo: vault, title: 'Move the backups' })],
  [
    4,
    (w) =>
      w.push({
        as: 'grace',
        repo: engine,
        branch: 'queue-limit',
        commits: [{ message: 'Drop the least important job', files: ['src/queue.go'] }],
      }),
  ],
  [
    4,
    (w) =>
      w.openPull({
        as: 'grace',
        repo: engine,
        title: 'Drop the least important job first',
        body: 'For #4',
        head: 'queue-limit',
        assignees: ['grace'],
      }),
  ],
  [3, (w) => w.requestReview({ as: 'grace', repo: engine, index: 8, from: ['margaret'] })],
  [2, (w) => w.review({ as: 'margaret', repo: engine, index: 8, verdict: 'approve', body: 'This is how it flew.' })],
  [1, (w) => w.comment({ as: 'margaret', repo: engine, index: 4, body: 'Seen again this morning, @grace.' })],
  [1, (w) => w.openIssue({ as: 'linus', repo: notes, title: 'Write it down' })],
  [1, (w) => w.openIssue({ as: 'linus', repo: notes, title: 'Read it again' })],
  [1, (w) => w.close({ as: 'linus', repo: notes, index: 1 })],
  [1, (w) => w.openIssue({ as: 'ada', repo: vault, title: 'Count the spare keys', assignees: ['grace'] })],
  [1, (w) => w.openIssue({ as: 'grace', repo: vault, title: 'Who has the second key?', labels: ['urgent'] })],
];
