import type { Flavor } from '@bellows/sandbox/forge';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { commands } from '../../src/features/index.js';
import {
  createForge,
  type Forge,
  type OperationName,
  describe as operation,
  operationNames,
} from '../../src/forge/index.js';
import { maskFields } from '../../src/forge/log-excerpt.js';
import { property } from '../../src/property.js';
import { requestLines } from '../../src/view/cards/request.js';
import { type Shown, talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { sentIssues } from '../voice/hold.js';
import { parsed as unpacked } from '../voice/parsed.js';
import { beyond, lines } from './command-lines.js';
import { deskLines, otherLines } from './field-lines.js';

const catalog = createCatalog(commands);
/** Everything that is said names the command as it is called here. */
const slash = '/git';
const deployed = 'repository: acme/engine, workflow: deploy.yml, refs: [main], checks: any, channel: C0GENERAL1';
const policy = `
roles: { admin: { users: [U0ADA00001] } }
approvals: { risky: { count: 0 } }
deployments:
  staging: { ${deployed}, askFor: [version], count: 0 }
  production: { ${deployed}, breakGlass: { users: [U0ADA00001] } }
`;

// Each name is a key of the table that the lines satisfy.
const entries = (all: object) => Object.entries(all) as [OperationName, string][];

const writes = (line: string) => catalog.find(line.split(' '))?.command.effect !== 'read';

/** A query holds no lists, and the time goes on between a dry run and the command. */
const comparable = (line: string) => line.replaceAll(/[[\]"]/g, '').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'a time');

/** What a dry run says about requests that write: each with its values below it. */
function plannedLines({ blocks }: Shown): string[] {
  const texts = blocks.flatMap((block) => String(property(block['text'], 'text') ?? '').split('\n'));
  const sends: string[] = [];
  let writes = false;
  for (const line of texts.slice(texts.indexOf('*It would send*') + 1)) {
    if (!line.startsWith('• ')) writes = /^`(?!GET)[A-Z]+ \//.test(line);
    if (writes) sends.push(comparable(line));
  }
  return sends;
}

/** Whether the line's command may send what Forgejo takes elsewhere or in other words; `only` some of it. */
function isDifferent(line: string, only: (name: OperationName) => boolean = () => true): boolean {
  const { operations = [] } = catalog.find(line.split(' '))?.command ?? {};
  return operations.some((name) => {
    const { forgejo, rowFilters } = operation(name);
    return only(name) && (forgejo !== undefined || rowFilters !== undefined);
  });
}

/** Types a signed line for each operation of the document and checks what reaches this forge. */
export function walkOn(flavor: Flavor): void {
  describe(`on ${flavor}`, () => {
    let bellows: Bellows;
    let forge: Forge;
    const talk = talkTo(() => bellows);
    const type = (user: string, line: string) =>
      talk.after(user, () => bellows.slack.as(user).command('engine', slash, line));
    const tally = { ran: 0, absent: 0 };
    const wrong = new Set<string>();

    beforeAll(async () => {
      bellows = await startBellows({
        mode: 'http',
        policy,
        forge: { flavor },
        command: slash,
        publicUrl: 'https://bellows.example.org',
      });
      forge = createForge({ url: bellows.forge.url });
      const ada = bellows.slack.as('ada');
      await ada.command('general', slash, 'signin other');
      await ada.fill({ login: 'ada', token: bellows.forge.account('ada').token() });
      await ada.submit();
      await bellows.slack.until(() => ada.sees('general').find(({ text }) => text.includes('linked as')));
      bellows.forge.world.createProject({ as: 'ada', title: 'My week', template: 'basic_kanban' });
      bellows.forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 2, body: 'On which paper?' });
    });
    afterAll(async () => {
      process.stdout.write(`figure walk.${flavor}.ran ${tally.ran}\nfigure walk.${flavor}.absent ${tally.absent}\n`);
      await forge.close();
      await bellows.close();
      // only here: a command that is tried again may say something else
      expect([...wrong]).toEqual([]);
    });
    let heard = { calls: 0, ts: new Set<string>() };
    beforeEach(() => {
      bellows.forge.requests.clear();
      heard = { calls: bellows.slack.calls.all.length, ts: new Set(seen().map(({ ts }) => ts)) };
    });

    const seen = () => bellows.slack.as('ada').sees('engine');
    // how every answer is worded; a dry run repeats the line, however long
    afterEach(() => {
      const calls = bellows.slack.calls.all.slice(heard.calls).map(({ args }) => unpacked(args));
      const said = [...calls, ...seen().filter(({ ts, byBot }) => byBot && !heard.ts.has(ts))];
      const issues = said.flatMap((sent) => sentIssues(sent, ''));
      for (const issue of issues) if (!/^first line: \d+ letters: 🧪 Dry run of /u.test(issue)) wrong.add(issue);
    });

    /** What the lines below are about. */
    const made = new Map<string, string>();
    const placed = (line: string) => line.replaceAll(/\{(\w+)\}/g, (_all, name: string) => made.get(name) ?? name);

    /** What reached the forge as this person, written as a dry run writes it. */
    function sentLines(): string[] {
      const written = [...bellows.forge.requests].filter(({ who, method }) => who === 'ada' && method !== 'GET');
      return written.flatMap(({ method, path, route = '', query, body }) => {
        const secrets = operationNames.flatMap((name) => {
          const { forgejo, secrets = [], ...entry } = operation(name);
          return [entry.route, ...(forgejo?.routes ?? [])].some((each) => each === route) ? secrets : [];
        });
        const masked = Object.entries(Object.assign({}, query, maskFields(body, secrets)));
        const input = masked.map(
          ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
        );
        return requestLines([{ route: `${method} ${path}`, input }]).map(({ source }) => comparable(source));
      });
    }

    // what is the same on both kinds of servers was sent to a Gitea
    const isWhole = process.env['EVERY_SERVER'] !== undefined || !flavor.startsWith('forgejo');
    const isOwnWrite = (line: string) => isDifferent(line, (name) => operation(name).effect !== 'read');

    /** Types the line; what its dry run shows is what it sends, unless it says that this comes later. */
    async function typeTwice(line: string) {
      if (flavor === 'document' || !writes(line) || !(isWhole || isOwnWrite(line))) return type('ada', line);
      const shown = await type('ada', `--dry-run ${line}`);
      expect(sentLines(), 'a dry run sends nothing').toEqual([]);
      const answer = await type('ada', line);
      const isLater = /^queue [^ ]+#|--when-checks-succeed/.test(line);
      if (isLater) expect(words(shown)).toContain('after its checks pass');
      expect(sentLines(), words(shown)).toEqual(isLater ? [] : plannedLines(shown));
      return answer;
    }

    const walked = entries(flavor === 'document' ? lines : { ...lines, ...beyond });
    it.each(walked)('%s is reached by a signed “/forge %s”', async (name, written) => {
      const failedBefore = bellows.slack.failures.all.length;
      const [thread] = bellows.forge.world.threadsOf('ada');
      const line = written.replace('{thread}', String(thread?.id));
      const answer = await typeTwice(line);
      const { route, forgejo } = operation(name);
      const arrived = [route, ...(forgejo?.routes ?? [])].flatMap((each) => bellows.forge.requests.of(each));
      expect(bellows.slack.failures.all.slice(failedBefore)).toEqual([]);
      if (!(await forge.capabilities.has(name))) {
        tally.absent += 1;
        expect(arrived).toEqual([]);
        expect(words(answer)).toMatch(/Gitea|Forgejo/);
        return;
      }
      tally.ran += 1;
      expect(arrived.length, answer.text).toBeGreaterThan(0);
      expect(arrived.at(-1)).toMatchObject({ who: 'ada', status: expect.toSatisfy((status: number) => status < 300) });
      expect(answer.text).not.toMatch(/^⚠️/);
      const parsed = parseCommand(line, catalog, { now: new Date(), webUrl: bellows.forge.url, slash });
      expect(parsed.kind === 'command' && parsed.command.operations).toContain(name);
    });

    describe('each field', () => {
      beforeAll(() => {
        const { world } = bellows.forge;
        const queue = (what: { needsApproval?: boolean; event?: string } = {}) =>
          world.queueRun({ as: 'grace', repo: 'acme/engine', event: 'workflow_dispatch', ...what }).id;
        const page = (run: number) => `${bellows.forge.url}/acme/engine/actions/runs/${run}`;
        const text = '---\nname: bug\nabout: It is broken\n---\nWhat?';
        world.plantFile({ repo: 'acme/engine', path: '.gitea/ISSUE_TEMPLATE/bug.md', text });
        world.push({ as: 'ada', repo: 'acme/engine', branch: 'guarded', commits: ['Start'] });
        const rules = { statusChecks: ['ci/*', 'bellows/queue'] };
        world.protect({ repo: 'acme/engine', branch: 'guarded', rules });
        const [fork, queued] = [queue({ needsApproval: true, event: 'pull_request' }), queue()];
        // the last one: its id is not another run's number
        const [stuck, stuckToo] = [queue(), queue()];
        for (const run of [stuck, stuckToo]) world.freezeRun({ run });
        for (const [name, value] of Object.entries({
          fork: page(fork),
          queued: page(queued),
          stuck: page(stuck),
          stuckToo,
          runner: world.addRunner({ name: 'builder-7', labels: ['old'] }).id,
          sha: world.repo('acme/engine').branches.get('main'),
        }))
          made.set(name, String(value));
      });

      // Reads are the same everywhere, and the document's forge does not say what it lacks before it is asked.
      const isTyped = (line: string) => flavor !== 'document' && writes(line) && (isWhole || isDifferent(line));
      const others = otherLines.filter((line) => flavor === 'gitea-1.28' || isTyped(line));
      it.each([...deskLines, ...others])('“/forge %s”', async (written) => {
        const failedBefore = bellows.slack.failures.all.length;
        const line = placed(written);
        const parsed = parseCommand(line, catalog, { now: new Date(), webUrl: bellows.forge.url, slash });
        if (parsed.kind !== 'command') throw new Error(`${line} is no command`);
        const answer = await typeTwice(line);
        const able = await Promise.all((parsed.command.needs ?? []).map((name) => forge.capabilities.has(name)));
        expect(bellows.slack.failures.all.slice(failedBefore)).toEqual([]);
        if (able.includes(false)) expect(words(answer)).toMatch(/Gitea|Forgejo/);
        else expect(answer.text).not.toMatch(/^⚠️/);
      });
    });
  });
}
