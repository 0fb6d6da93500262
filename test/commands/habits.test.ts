import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { parseCommand, phrases, rephrase } from '../../src/chat/grammar.js';
import { nouns } from '../../src/chat/nouns.js';
import { flagName, typedFields } from '../../src/chat/usage.js';
import { commands } from '../../src/features/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

const catalog = createCatalog(commands);
const webUrl = 'https://git.example.org';
const read = (text: string) =>
  parseCommand(text, catalog, { now: new Date('2026-11-10T09:00:00Z'), webUrl, slash: '/forge' });

describe('what people type without reading help', () => {
  const written = (value: unknown) => {
    if (typeof value === 'string') return value;
    const { owner, repo, index, ...rest } = Object(value);
    const place = owner === undefined ? '' : `${owner}/${repo}`;
    if (index !== undefined) return `${place}#${index}`;
    return place === '' && Object.keys(rest).length > 0 ? JSON.stringify(value) : place || value;
  };

  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['issue list', 'issue list', {}],
    ['issues', 'issue list', {}],
    ['list issues', 'issue list', {}],
    ['issues acme/engine', 'issue list', { repository: 'acme/engine' }],
    ['list issues acme/engine', 'issue list', { repository: 'acme/engine' }],
    ['all issues', 'issue list', {}],
    ['tickets', 'issue list', {}],
    ['issue new Leaking pipe', 'issue create', { title: 'Leaking pipe' }],
    ['create issue Leaking pipe', 'issue create', { title: 'Leaking pipe' }],
    ['new issue Leaking pipe', 'issue create', { title: 'Leaking pipe' }],
    ['open issue Leaking pipe', 'issue create', { title: 'Leaking pipe' }],
    ['open Leaking pipe', 'issue create', { title: 'Leaking pipe' }],
    ['issue 4', 'issue show', { issue: '#4' }],
    ['issue #4', 'issue show', { issue: '#4' }],
    ['issue acme/engine#4', 'issue show', { issue: 'acme/engine#4' }],
    ['show #4', 'issue show', { issue: '#4' }],
    ['show acme/engine#4', 'issue show', { issue: 'acme/engine#4' }],
    ['show issue #4', 'issue show', { issue: '#4' }],
    ['view issue 4', 'issue show', { issue: '#4' }],
    ['issue view #4', 'issue show', { issue: '#4' }],
    ['acme/engine 4', 'issue show', { issue: 'acme/engine#4' }],
    ['acme/engine#12', 'issue show', { issue: 'acme/engine#12' }],
    ['engine#4', 'issue show', {}],
    ['show engine#4', 'issue show', {}],
    ['close engine#4', 'issue close', {}],
    ['pr engine#8', 'pr show', {}],
    ['run engine#8', 'run show', {}],
    ['#12', 'issue show', { issue: '#12' }],
    ['close #4', 'issue close', { issue: '#4' }],
    ['close issue #4', 'issue close', { issue: '#4' }],
    ['close issue 4', 'issue close', { issue: '#4' }],
    ['close acme/engine 4', 'issue close', { issue: 'acme/engine#4' }],
    ['close acme/engine#4', 'issue close', { issue: 'acme/engine#4' }],
    ['reopen issue #4', 'issue reopen', { issue: '#4' }],
    ['close pr #8', 'pr close', { pull: '#8' }],
    ['close pull request #8', 'pr close', { pull: '#8' }],
    ['reopen pr #8', 'pr reopen', { pull: '#8' }],
    ['assign #12 ada', 'issue assign', { issue: '#12' }],
    ['assign me #4', 'issue assign', { issue: '#4' }],
    ['assign #4 to grace', 'issue assign', { issue: '#4' }],
    ['assign #4 me', 'issue assign', { issue: '#4' }],
    ['assign grace to #4', 'issue assign', { issue: '#4' }],
    ['assign issue #4 to grace', 'issue assign', { issue: '#4' }],
    ['label #12 bug', 'issue label', { issue: '#12' }],
    ['label issue #12 bug', 'issue label', { issue: '#12' }],
    ['label #4 -docs +bug', 'issue label', { issue: '#4' }],
    ['comment #4 Thanks for this', 'issue comment', { issue: '#4' }],
    ['comment issue #4 Thanks', 'issue comment', { issue: '#4' }],
    ['pr 8', 'pr show', { pull: '#8' }],
    ['pr #8', 'pr show', { pull: '#8' }],
    ['pull request #8', 'pr show', { pull: '#8' }],
    ['show pr #8', 'pr show', { pull: '#8' }],
    ['view pr 8', 'pr show', { pull: '#8' }],
    ['pr acme/engine#8', 'pr show', { pull: 'acme/engine#8' }],
    ['pr acme/engine 8', 'pr show', { pull: 'acme/engine#8' }],
    ['pr list acme/engine', 'pr list', { repository: 'acme/engine' }],
    ['diff #8 comment Nice', 'pr diff', { pull: '#8' }],
    ['prs', 'pr list', {}],
    ['pulls', 'pr list', {}],
    ['pull requests', 'pr list', {}],
    ['list prs', 'pr list', {}],
    ['list pull requests', 'pr list', {}],
    ['prs acme/engine', 'pr list', { repository: 'acme/engine' }],
    ['merge requests', 'pr list', {}],
    ['merge #12', 'pr merge', { pull: '#12' }],
    ['merge pr #12', 'pr merge', { pull: '#12' }],
    ['merge pull request #12', 'pr merge', { pull: '#12' }],
    ['approve #12', 'pr approve', { pull: '#12' }],
    ['approve pr #12', 'pr approve', { pull: '#12' }],
    ['review #8 margaret', 'pr review', { pull: '#8' }],
    ['request review #8 margaret', 'pr review', { pull: '#8' }],
    ['review #8 by margaret', 'pr review', { pull: '#8' }],
    ['review pr #8 margaret', 'pr review', { pull: '#8' }],
    ['review take #8', 'review take', { pull: '#8' }],
    ['take #8', 'review take', { pull: '#8' }],
    ['take pr #8', 'review take', { pull: '#8' }],
    ['take review #8', 'review take', { pull: '#8' }],
    ['take the review of #8', 'review take', { pull: '#8' }],
    ['hand back #8', 'review hand-back', { pull: '#8' }],
    ['hand back the review of acme/engine#8', 'review hand-back', { pull: 'acme/engine#8' }],
    ['retarget pr #8 main', 'pr retarget', { pull: '#8' }],
    ['my prs', 'issue search', {}],
    ['my pull requests', 'issue search', {}],
    ['my reviews', 'issue search', {}],
    ['my issues', 'issue search', {}],
    ['runs acme/engine', 'run list', { repository: 'acme/engine' }],
    ['runs', 'run list', {}],
    ['list runs', 'run list', {}],
    ['builds', 'run list', {}],
    ['runs --status failed', 'run list', { status: 'failure' }],
    ['runs --status passed', 'run list', { status: 'success' }],
    ['runs --status running', 'run list', { status: 'in_progress' }],
    ['runs --status canceled', 'run list', { status: 'cancelled' }],
    ['runs --status cancelled', 'run list', { status: 'cancelled' }],
    ['run 4', 'run show', {}],
    ['run #4', 'run show', {}],
    ['show run 4', 'run show', {}],
    ['build 4', 'run show', {}],
    ['rerun 4', 'run rerun', {}],
    ['retry 4', 'run rerun', {}],
    ['rerun run 4', 'run rerun', {}],
    ['run retry 4', 'run rerun', {}],
    ['cancel 6', 'run cancel', {}],
    ['cancel run 6', 'run cancel', {}],
    ['stop run 6', 'run cancel', {}],
    ['logs 4', 'run log', {}],
    ['log 4', 'run log', {}],
    ['logs', 'run log', {}],
    ['run logs 4', 'run log', {}],
    ['rerun', 'run rerun', {}],
    ['stuck', 'run stuck', {}],
    ['inbox', 'inbox', {}],
    ['notifications', 'inbox', {}],
    ['my notifications', 'inbox', {}],
    ['mark all read', 'inbox clear', {}],
    ['clear inbox', 'inbox clear', {}],
    ['todo', 'todo', {}],
    ['workflows', 'workflow list', {}],
    ['list workflows', 'workflow list', {}],
    ['run workflow acme/engine ci.yml', 'workflow run', {}],
    ['repos', 'repo search', {}],
    ['search repos bellows', 'repo search', {}],
    ['find repo bellows', 'repo search', {}],
    ['runners', 'runner list', {}],
    ['list runners', 'runner list', {}],
    ['keys acme/engine', 'key list', { repository: 'acme/engine' }],
    ['reminders', 'remind list', {}],
    ['subscriptions', 'subscribe list', {}],
    ['list subscriptions', 'subscribe list', {}],
    ['deployments', 'deploy history', {}],
    ['agents', 'agents list', {}],
    ['sign in', 'signin', {}],
    ['login', 'signin', {}],
    ['who am i', 'whoami', {}],
    ['webhooks', 'hook list', {}],
    ['open issues', 'issue list', { state: 'open' }],
    ['open prs', 'pr list', { state: 'open' }],
    ['Open pull requests', 'pr list', { state: 'open' }],
    ['closed issues', 'issue list', { state: 'closed' }],
    ['closed prs in acme/engine', 'pr list', { state: 'closed', repository: 'acme/engine' }],
    ['issues in acme/engine', 'issue list', { repository: 'acme/engine' }],
    ['issues by grace', 'issue list', {}],
    ['prs by grace', 'pr list', {}],
    ['show me open prs', 'pr list', { state: 'open' }],
    ['show me #4', 'issue show', { issue: '#4' }],
    ['show me my reviews', 'issue search', {}],
    ['show my prs', 'issue search', {}],
    ['please close #4', 'issue close', { issue: '#4' }],
    ['can you close issue #4', 'issue close', { issue: '#4' }],
    ['close the issue #4', 'issue close', { issue: '#4' }],
    ['open an issue Leaking pipe', 'issue create', { title: 'Leaking pipe' }],
    ['create a new issue Leaking pipe', 'issue create', { title: 'Leaking pipe' }],
    ['file a bug Leaking pipe', 'issue create', { title: 'Leaking pipe' }],
    ['report bug Leaking pipe', 'issue create', { title: 'Leaking pipe' }],
    ['issue 4 close', 'issue close', { issue: '#4' }],
    ['#4 close', 'issue close', { issue: '#4' }],
    ['pr 8 merge', 'pr merge', { pull: '#8' }],
    ['pr #8 approve', 'pr approve', { pull: '#8' }],
    ['run 4 cancel', 'run cancel', {}],
    ['merge #8 squash', 'pr merge', { pull: '#8', style: 'squash' }],
    ['merge pr #8 with squash', 'pr merge', { pull: '#8', style: 'squash' }],
    ['squash #8', 'pr merge', { pull: '#8', style: 'squash' }],
    ['squash and merge #8', 'pr merge', { pull: '#8', style: 'squash' }],
    ['lgtm #8', 'pr approve', { pull: '#8' }],
    ['assign me to #4 --dry-run', 'issue assign', { issue: '#4' }],
    ['unassign #4', 'issue assign', { issue: '#4' }],
    ['add label bug to #4', 'issue label', { issue: '#4' }],
    ['remove label bug from #4', 'issue label', { issue: '#4' }],
    ['set labels bug, docs on #4', 'issue label', { issue: '#4' }],
    ['unlabel #4 bug', 'issue label', { issue: '#4' }],
    ['comment on #4 Thanks', 'issue comment', { issue: '#4', body: 'Thanks' }],
    ['comment #4: Thanks', 'issue comment', { issue: '#4', body: 'Thanks' }],
    ['reply to #4 Thanks', 'issue comment', { issue: '#4', body: 'Thanks' }],
    ['edit #4', 'issue edit', { issue: '#4' }],
    ['due #4 tomorrow', 'issue due', { issue: '#4' }],
    ['ask grace to review #8', 'pr review', { pull: '#8' }],
    ['request a review from grace on #8', 'pr review', { pull: '#8' }],
    ['what should I review', 'issue search', {}],
    ['prs waiting on me', 'issue search', {}],
    ['assigned to me', 'issue search', {}],
    ['find pump', 'issue search', { query: 'pump' }],
    ['deploy main to production', 'deploy', { environment: 'production', ref: 'main' }],
    ['deploy to production', 'deploy', { environment: 'production' }],
    ['failed runs', 'run list', { status: 'failure' }],
    ['failing builds in acme/engine', 'run list', { status: 'failure', repository: 'acme/engine' }],
    ['kill run 4', 'run cancel', {}],
    ['why did run 4 fail?', 'run log', {}],
    ['stuck runs', 'run stuck', {}],
    ['ci status', 'run list', {}],
    ['commits', 'repo commits', {}],
    ['merge queue', 'queue list', {}],
    ['show the queue', 'queue list', {}],
    ['add #8 to the queue', 'queue', { pull: '#8' }],
    ['remove #8 from the merge queue', 'queue remove', { pull: '#8' }],
    ['pause the queue', 'queue pause', {}],
    ['remind me daily 9:30', 'remind reviews', {}],
    ['status of #8', 'issue show', { issue: '#8' }],
    [`${webUrl}/acme/engine/issues/12`, 'issue show', {}],
    [`<${webUrl}/acme/engine/pulls/5|#5>`, 'pr show', {}],
    [`${webUrl}/acme/engine/actions/runs/7`, 'run show', {}],
    [`${webUrl}/acme/engine`, 'feed repo', {}],
    [`show ${webUrl}/acme/engine/pulls/5`, 'pr show', {}],
    ['review #8 <@U0MARGARET|margaret>', 'pr review', { pull: '#8' }],
    ['assign <@U0GRACE001|grace> #4', 'issue assign', { issue: '#4' }],
  ])('“%s” is %s', (typed, name, args) => {
    const parsed = read(typed);
    if (parsed.kind !== 'command') throw new Error(`${typed}: ${JSON.stringify(parsed)}`);
    expect(parsed.command.name).toBe(name);
    for (const [field, value] of Object.entries(args)) expect(written(parsed.args[field])).toBe(value);
  });

  it.each(['?', 'hi', 'Hello!', 'hey', 'help'])('“%s” gets help', (typed) => {
    expect(read(typed)).toEqual({ kind: 'help' });
  });

  it.each(['how do I merge', 'how can i merge a pull request?'])('“%s” gets help with it', (typed) => {
    expect(read(typed)).toMatchObject({ kind: 'help', command: { name: 'pr merge' } });
  });

  it('never opens an issue for someone who looks for something else', () => {
    for (const noun of Object.keys(nouns).filter((each) => each.endsWith('s'))) {
      const parsed = read(`open ${noun}`);
      expect(parsed.kind === 'command' ? parsed.command.name : parsed.kind, noun).not.toBe('issue create');
    }
    for (const typed of ['open pr', 'open a pull request', 'new pull request for feat', 'create pr'])
      expect(() => read(typed), typed).toThrow('I can’t open pull requests.');
  });

  it.each(['thanks', 'Thank you!', 'thx'])('“%s” gets a kind word', (typed) => {
    expect(read(typed)).toEqual({ kind: 'thanks' });
  });

  it.each([
    'issue create acme/engine Close issue 4 first',
    'comment #4 assign me to #5',
    'issue comment #4 acme/engine 4 is the same',
    'open Rerun is slow',
    'open Add label bug to #4 fails',
    'open the run page is slow',
    'comment #4 please close #5 and merge #8 squash',
    'issue create acme/engine How do I deploy main to production?',
  ])('the text of “%s” stays as it is', (typed) => {
    const parsed = read(typed);
    const text = parsed.kind === 'command' ? String(parsed.args['title'] ?? parsed.args['body']) : '';
    expect(typed.endsWith(text)).toBe(true);
    expect(text.length).toBeGreaterThan(12);
  });

  it('no phrase stands for a command that does not exist, or hides one', () => {
    for (const [phrase, line] of Object.entries(phrases)) {
      expect(catalog.find(line.split(' ')), line).toBeDefined();
      expect(catalog.get(phrase)?.name, phrase).toBeUndefined();
    }
    for (const noun of Object.values(nouns)) expect(catalog.groups.map((group) => group.noun)).toContain(noun);
    for (const { name, aliases = [] } of commands)
      for (const each of [name, ...aliases]) expect(rephrase(each, catalog), each).toBeUndefined();
  });

  it('an address of another server is not a command', () => {
    expect(read('https://example.com/acme/engine/issues/12').kind).toBe('unknown');
  });
});

describe('a repository’s name without its owner', () => {
  let bellows: Bellows;
  const { type, after } = talkTo(() => bellows);
  beforeAll(async () => {
    bellows = await startBellows();
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());

  it('is enough if only one is seen under that name', async () => {
    expect(words(await type('ada', 'show ENGINE#2'))).toContain('acme/engine');
    await type('ada', 'use acme/website');
    expect(words(await type('ada', 'show engine#2'))).toContain('acme/engine');
  });

  it('asks if there are several, and touches none before', async () => {
    bellows.forge.world.createRepo({ as: 'ada', owner: 'ada', name: 'engine' });
    const asked = await type('ada', 'close engine#5', 'general');
    expect(asked.text).toContain('Which engine do you mean?');
    expect([...bellows.forge.requests].filter(({ method }) => method !== 'GET')).toEqual([]);
    const click = () => bellows.slack.as('ada').click(asked, 'acme/engine');
    expect((await after('ada', click, 'general')).text).toContain('Closed');
    // the channel's own owner comes first
    expect(words(await type('ada', 'show engine#5'))).toContain('acme/engine');
  });

  it('names what it does not find', async () => {
    expect((await type('ada', 'show nosuch#5')).text).toContain('can’t find a repository named nosuch');
  });
});

describe('a near miss', () => {
  it.each(['run rerunn', 'rum list', 'issue lst', 'croon', 'rnner'])(
    '“%s” suggests nothing risky of another kind',
    (typed) => {
      const risky = catalog.nearest(typed).filter((name) => catalog.get(name)?.risk === 'risky');
      expect(risky.filter((name) => name.split(' ')[0] !== typed.split(' ')[0])).toEqual([]);
    },
  );

  it.each([
    ['hello there', ['follow', 'unfollow']],
    ['logz', ['signin', 'signout']],
    ['isssues lst', ['key list', 'runner list', 'hook list']],
    ['reruns', ['pr merge']],
  ])('“%s” does not suggest %j', (typed, never) => {
    const names = catalog.nearest(typed).map((name) => catalog.get(name)?.name ?? '');
    expect(names.filter((name) => never.includes(name))).toEqual([]);
    expect(names.length).toBeLessThanOrEqual(3);
  });

  it('suggests harmless commands first', () => {
    expect(catalog.nearest('issue lst')[0]).toBe('issue list');
    expect(catalog.nearest('pr shw')[0]).toBe('pr show');
  });
});

describe('lists and labels', () => {
  let bellows: Bellows;
  const { type } = talkTo(() => bellows);
  beforeAll(async () => {
    bellows = await startBellows();
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());

  it('list the channel’s own repository, or the named one', async () => {
    expect(words(await type('ada', 'prs acme/engine'))).toMatch(/open pull requests?/);
    await type('ada', 'use acme/website');
    expect(words(await type('ada', 'issues'))).not.toContain('acme/engine');
    expect(words(await type('ada', 'issues acme/engine'))).toContain('acme/engine');
  });

  it('labels are added and removed, the others stay', async () => {
    const shown = async () => words(await type('ada', 'issue show acme/engine#2'));
    await type('ada', 'label acme/engine#2 bug');
    await type('ada', 'label acme/engine#2 docs');
    expect(await shown()).toMatch(/`bug`.*`docs`|`docs`.*`bug`/);
    await type('ada', 'label acme/engine#2 -bug');
    const left = await shown();
    expect(left).toContain('`docs`');
    expect(left).not.toContain('`bug`');
  });

  it('runs are filtered by workflow, also in the words of GitHub’s app', async () => {
    const answer = words(await type('ada', 'subscribe acme/engine workflows:{name:"CI" branch:"main"}'));
    expect(answer).toContain('runs · `branch:main workflow:CI`');
    expect((await type('ada', 'subscribe acme/engine workflows:{event:"push"}')).text).toContain('Use workflow:');
  });
});

describe('the example in an error', () => {
  const refusal = (line: string): string => {
    try {
      read(line);
      return '';
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  };
  const flags = commands.flatMap((command) =>
    typedFields(command).flatMap(([name, field]) =>
      field.typed === 'flag' ? [{ command, flag: flagName(name) }] : [],
    ),
  );
  const wrong = flags
    .map(({ command, flag }) => ({ flag, said: refusal(`${command.name} --${flag} "§ §"`) }))
    .filter(({ said }) => said !== '');

  it('uses the option that was wrong, and is code', () => {
    expect(wrong.length).toBeGreaterThan(20);
    const unfit = wrong.filter(({ flag, said }) => !new RegExp(`\\nExample: \`/forge [^\`]*--${flag}\\b`).test(said));
    // only Slack can write the mention that an example of it would need
    expect(unfit.filter(({ flag }) => flag !== 'who')).toEqual([]);
  });

  it('keeps its stars', () => {
    expect(refusal('agents add Bot --expires soon')).toContain(
      '`/forge agents add "Release bot" --may "issue *, run rerun" --repos acme/* --expires 30d`',
    );
  });
});
