import { runButton, runButtonIfFits } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { optional, text } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import type { BotPull } from '../../feed/delivery.js';
import { isBot } from '../../feed/item.js';
import { commitChecks } from '../../forge/commit-checks.js';
import { type Api, gather } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { PullRequest } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { actions, type Blocks, list, context as quietly, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { bold, link, md } from '../../view/text.js';
import { isOf } from '../find.js';
import { refIn } from '../issues/card.js';
import { reportTarget } from '../reviews/report.js';

const mostListed = 300;
/** Two requests each. */
const mostRead = 40;
/** What a button can carry. */
const mostApproved = 20;

const states = { success: 'green', failure: 'red', warning: 'red' } as const;

/** Unknown checks, none and those that run are not green. */
export async function readBotPull(pull: PullRequest, repository: string, api: Pick<Api, 'repos'>): Promise<BotPull> {
  const head = pull.head?.sha ?? '';
  const checks = await ifAnswered(commitChecks(api, { ...splitFullName(repository), ref: head }));
  const isReady = head !== '' && !pull.draft;
  const state = checks?.state ?? 'none';
  return {
    ...{ repository, index: pull.number, title: pull.title, url: pull.html_url, head },
    state: isReady && (state === 'success' || state === 'failure' || state === 'warning') ? states[state] : 'open',
  };
}

/** `acme/engine#5@4b825dc…` */
const boundName = ({ repository, index, head }: BotPull) => `${repository}#${index}@${head}`;

const signs = { green: '✅', red: '❌', open: '⏳' } as const;

/** `7 green, 2 red, 1 without a result` */
function tally(all: readonly BotPull[]): string {
  const words = { green: 'green', red: 'red', open: 'without a result' } as const;
  const counts = (['green', 'red', 'open'] as const).map((state) => ({
    state,
    number: all.filter((each) => each.state === state).length,
  }));
  return counts.flatMap(({ state, number }) => (number > 0 ? [`${number} ${words[state]}`] : [])).join(', ');
}

const approveButton = (all: readonly BotPull[]) => {
  const green = all.filter(({ state }) => state === 'green').slice(0, mostApproved);
  const pulls = green.map(boundName).join(' ');
  return green.length === 0
    ? undefined
    : runButtonIfFits({ text: 'Approve and queue the green ones', command: 'bots approve', args: { pulls } });
};

/** The repository or owner that all of them are in. */
function placeOf(all: readonly BotPull[]): string | undefined {
  const names = new Set(all.map(({ repository }) => repository));
  const owners = new Set([...names].map((name) => splitFullName(name).owner));
  const [name] = names.size === 1 ? names : owners;
  return owners.size === 1 ? name : undefined;
}

/** One card for all of them. */
export function laneMessage(all: readonly BotPull[], of = placeOf(all)): Message {
  const said = `${count(all.length, 'pull request')} by bots: ${tally(all)}`;
  return message({
    text: said,
    blocks: [
      section(md`🤖 ${bold(said)}`),
      actions(approveButton(all), of ? runButton({ text: 'Show', command: 'bots show', args: { of } }) : undefined),
    ],
  });
}

/** As this account sees them. */
async function readLane(of: string, { api, policy }: Context) {
  const { owner, repo } = splitFullName(of.includes('/') ? of : `${of}/*`);
  const query = { state: 'open', type: 'pulls', owner } as const;
  const found = await gather(api.issues.search.each({ query }, { max: mostListed }));
  const meant = found.filter(
    ({ user, repository }) =>
      user && isBot(user, policy.bots) && (repo === '*' || isOf({ login: repository?.name ?? '' }, repo)),
  );
  const all: BotPull[] = [];
  for (const item of meant.slice(0, mostRead)) {
    const ref = refIn(item);
    const pull = ref && (await ifAnswered(api.pulls.get(ref)));
    if (pull) all.push(await readBotPull(pull, item.repository?.full_name ?? '', api));
  }
  return { of, all, more: meant.length - all.length };
}

const order = ['green', 'red', 'open'] as const;

function shownLane({ of, all, more }: Awaited<ReturnType<typeof readLane>>): Message {
  if (all.length === 0) return message({ blocks: [section(md`No open pull requests by bots in ${of}.`)] });
  const rows: Blocks = list(
    all
      .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
      .map(
        ({ state, url, repository, index, title }) =>
          md`${signs[state]} ${link(url, `${repository}#${index} ${title}`)}`,
      ),
  );
  const { text: said, blocks } = laneMessage(all, '');
  const [head, ...rest] = blocks;
  return message({
    text: said,
    blocks: [head, ...rows, more > 0 ? quietly([`and ${more} more`]) : undefined, ...rest],
  });
}

export const botsShow = command({
  name: 'bots show',
  title: 'Show pull requests by bots',
  summary: 'List the open pull requests of bots, with their checks',
  examples: ['bots show', 'bots show acme/engine', 'bots show acme'],
  fields: { of: optional(text({ label: 'Repository or owner', placeholder: 'owner/repo|owner', max: 200 })) },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.search', 'pulls.get', 'repos.commitStatus'],
  plan: ({ of = '' }) => [request('issues.search', { query: { type: 'pulls', owner: of.split('/')[0] ?? '' } })],
  run: async (wanted, context) => readLane(await reportTarget(wanted, context), context),
  reply: shownLane,
});
