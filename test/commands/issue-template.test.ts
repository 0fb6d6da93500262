import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form } = talkTo(() => bellows);
const repo = 'acme/engine';
const creates = 'POST /repos/{owner}/{repo}/issues';
const sent = () => bellows.forge.requests.of(creates).at(-1)?.body;
const ada = () => bellows.slack.as('ada');

const bug = `name: Bug report
description: Something leaks
title: "[Bug] "
labels: [bug]
body:
  - type: markdown
    attributes: { value: "Thanks for **reporting**!" }
  - type: input
    id: version
    attributes: { label: Version, description: As it says, placeholder: "1.0" }
    validations: { required: true }
  - type: textarea
    id: what
    attributes: { label: What happened? }
  - type: textarea
    id: logs
    attributes: { label: Logs, render: shell }
  - type: dropdown
    id: where
    attributes: { label: Where, multiple: true, options: [Boiler, Valve, Gauge] }
  - type: dropdown
    id: how
    attributes: { label: How often, options: [Once, Always], default: 1 }
  - type: checkboxes
    id: terms
    attributes:
      label: Before you send
      options:
        - { label: I looked for it, required: true }
        - { label: I can help }
`;
const strict = `name: Strict
description: With validations
body:
  - type: input
    id: version
    attributes: { label: Version }
    validations: { regex: "v?[0-9]+[.][0-9]+" }
  - type: input
    id: count
    attributes: { label: How many }
    validations: { is_number: true }
  - type: input
    id: trap
    attributes: { label: Trap }
    validations: { regex: "(a+)+" }
  - type: input
    id: broken
    attributes: { label: Broken }
    validations: { regex: "(" }
`;
const story = `---
name: Story
about: A wish
title: ""
labels: [docs]
---
## As a person

I want
`;
const stale = story
  .replace('name: Story', 'name: Stale')
  .replace('labels: [docs]', 'labels: [docs, nosuch]\nassignees: [grace, nobody]');
/** Without a label, for repositories that have none. */
const wish = story.replace('labels: [docs]\n', '');
const tooMany = `name: Long\ndescription: Too long\nbody:\n${Array.from({ length: 30 }, (_, at) => `  - { type: input, id: f${at}, attributes: { label: "F${at}" } }`).join('\n')}\n`;

beforeAll(async () => {
  bellows = await startBellows();
  const plant = (path: string, text: string, where = repo) =>
    bellows.forge.world.plantFile({ repo: where, path, text });
  plant('.gitea/ISSUE_TEMPLATE/bug.yaml', bug);
  plant('.github/ISSUE_TEMPLATE/story.md', story);
  plant('.github/ISSUE_TEMPLATE/stale.md', stale);
  plant('.github/ISSUE_TEMPLATE/long.yml', tooMany);
  plant('.github/ISSUE_TEMPLATE/broken.yml', 'name: [');
  plant('.gitea/ISSUE_TEMPLATE/strict.yaml', strict);
  plant('.gitea/ISSUE_TEMPLATE/secret.md', story, 'acme/vault');
  plant('.github/issue_template.md', 'Tell us more.', 'acme/website');
  await bellows.link('ada');
  await bellows.link('grace', 'linus');
  await type('ada', `repo use ${repo}`);
});
afterAll(() => bellows.close());
afterEach(async () => {
  while (ada().openView()) await ada().close();
  expect(bellows.slack.failures.all).toEqual([]);
});

const fieldsOf = (view: { readonly blocks: readonly unknown[] } | undefined) =>
  [...words(view).matchAll(/"type":"input","block_id":"([^"~]+)/g)].map(([, id]) => id);

async function choose(template: string, more: Record<string, string> = {}, line = 'issue create') {
  await ada().command('engine', '/forge', line);
  await form('ada');
  await ada().fill({ ...more, template });
  return bellows.slack.until(() => {
    const view = ada().openView();
    return view && /template~\d/.test(words(view)) ? view : undefined;
  });
}

const opened = () => bellows.slack.until(() => bellows.forge.requests.of(creates).at(-1));

describe('a repository’s issue form', () => {
  it('is drawn as fields of the form, and sent as the forge itself would write it', async () => {
    bellows.forge.requests.clear();
    const view = await choose('Bug report');
    expect(words(view)).toContain('reporting');
    expect(fieldsOf(view)).toEqual([
      ...['template', 'title', 'assignees', 'labels', 'milestone', 'due'],
      ...['asked0', 'asked1', 'asked2', 'asked3', 'asked4', 'asked5', 'asked6'],
    ]);
    await ada().fill({
      title: '[Bug] Pipe leaks',
      asked0: '2.1',
      asked2: 'one\n```\ntwo',
      asked3: ['Boiler', 'Gauge'],
      asked5: 'I can help',
      asked6: 'I looked for it',
    });
    await ada().submit();
    await opened();
    expect(sent()).toMatchObject({ title: '[Bug] Pipe leaks' });
    expect(String(Object(sent()).body)).toBe(
      [
        ...['### Version', '', '2.1', ''],
        ...['### What happened?', '', '_No response_', ''],
        ...['### Logs', '', '````shell', 'one', '```', 'two', '````', ''],
        ...['### Where', '', 'Boiler, Gauge', ''],
        ...['### How often', '', 'Always', ''],
        ...['### Before you send', '', '- [x] I looked for it', '- [x] I can help'],
      ].join('\n'),
    );
    expect(Object(sent()).labels).toHaveLength(1);
  });

  it('is not sent without its required fields', async () => {
    await choose('Bug report', { title: 'Half of it' });
    const { errors } = await ada().submit();
    expect(Object.keys(errors).map((id) => id.split('~')[0])).toEqual(['asked0', 'asked6']);
  });

  it('starts with the quoted message, and the message’s thread gets the link', async () => {
    bellows.forge.requests.clear();
    const said = await bellows.slack.as('grace').post('engine', 'The valve hisses\nsince Monday');
    await ada().messageShortcut('create_issue', said);
    await form('ada');
    await ada().fill({ template: 'Bug report' });
    const view = await bellows.slack.until(() =>
      /asked1/.test(words(ada().openView())) ? ada().openView() : undefined,
    );
    expect(words(view)).toContain('> since Monday');
    await ada().fill({ asked0: '3', asked6: 'I looked for it' });
    await ada().submit();
    await opened();
    expect(Object(sent()).title).toBe('The valve hisses');
    expect(Object(sent()).body).toMatch(
      /### What happened\?\n\n> The valve hisses\n> since Monday\n\n\[.* on Slack\]\(http/,
    );
    await bellows.slack.until(() =>
      bellows.slack.state
        .messages('engine')
        .find(({ threadTs, text }) => threadTs === said.ts && text.includes('Opened')),
    );
  });

  it('typed by name offers the form for what is missing', async () => {
    bellows.forge.requests.clear();
    const answer = await type('ada', `issue create ${repo} Leak --template bug`);
    expect(answer.text).toContain('has questions to answer: Version, I looked for it');
    expect(bellows.forge.requests.of(creates)).toEqual([]);
    await ada().click(answer, 'Answer questions');
    expect(words(await form('ada'))).toContain('"initial_value":"Leak"');
    expect(fieldsOf(ada().openView())).toContain('asked0');
  });

  it('with too many questions is left to the browser, and what was typed stays', async () => {
    const view = await choose('Long', { title: 'Typed before' });
    expect(words(view)).toContain('too many for Slack');
    expect(words(view)).toContain('Typed before');
  });
});

describe('the validations of an issue form', () => {
  const strictForm = () => choose('Strict', { title: 'Strictly' });
  const wrongFields = async () =>
    Object.entries((await ada().submit()).errors).map(([id, says]) => [id.split('~')[0], says]);

  it('are enforced: a wrong answer is shown at its field and nothing is sent', async () => {
    bellows.forge.requests.clear();
    expect(words(await strictForm())).toContain('"type":"number_input"');
    await ada().fill({ asked0: 'v1.2 or so', asked1: 'many' });
    expect(await wrongFields()).toEqual([['asked1', 'Please enter a valid number.']]);
    await ada().fill({ asked1: '12' });
    expect(await wrongFields()).toEqual([['asked0', expect.stringContaining('v?[0-9]+[.][0-9]+')]]);
    expect(bellows.forge.requests.of(creates)).toEqual([]);
    await ada().fill({ asked0: 'v1.2' });
    await ada().submit();
    await opened();
    expect(Object(sent()).body).toContain('### Version\n\nv1.2\n\n### How many\n\n12');
  });

  it('block nobody: a pattern that is invalid or takes too long is not checked', async () => {
    const submitting = async (letters: string) => {
      bellows.forge.requests.clear();
      await strictForm();
      await ada().fill({ asked2: letters, asked3: 'anything' });
      const began = performance.now();
      await ada().submit();
      return performance.now() - began;
    };
    const usual = await submitting('a');
    await opened();
    expect(await submitting(`${'a'.repeat(2_000)}!`)).toBeLessThan(2_000 + 3 * usual);
    await opened();
    expect(Object(sent()).body).toContain('aaa!');
  });
});

describe('a repository without blank issues', () => {
  const where = 'acme/docs';
  beforeAll(() => {
    const { world } = bellows.forge;
    world.createRepo({ as: 'ada', owner: 'acme', name: 'docs' });
    const plant = (path: string, text: string) => world.plantFile({ repo: where, path, text });
    plant('.gitea/ISSUE_TEMPLATE/story.md', wish);
    plant('.gitea/ISSUE_TEMPLATE/config.yaml', 'blank_issues_enabled: false\n');
  });

  it('gets none: the templates are named and its form is offered', async () => {
    bellows.forge.requests.clear();
    const answer = await type('ada', `issue create ${where} Blank`);
    expect(answer.text).toContain('acme/docs does not allow blank issues. Choose a template: story.md.');
    expect(bellows.forge.requests.of(creates)).toEqual([]);
    await ada().click(answer, 'Choose template');
    expect(words(await form('ada'))).toContain('"initial_value":"Blank"');
  });

  it('gets one of a template', async () => {
    bellows.forge.requests.clear();
    await type('ada', `issue create ${where} Wish --template story`);
    expect(Object(sent()).body).toContain('I want');
  });

  it('allows blank ones if it has no template at all', async () => {
    const { world } = bellows.forge;
    world.createRepo({ as: 'ada', owner: 'acme', name: 'bare' });
    const config = { path: '.gitea/ISSUE_TEMPLATE/config.yml', text: 'blank_issues_enabled: false\n' };
    world.plantFile({ repo: 'acme/bare', ...config });
    bellows.forge.requests.clear();
    await type('ada', 'issue create acme/bare Blank');
    expect(sent()).toMatchObject({ title: 'Blank' });
  });
});

describe('the single template of a repository', () => {
  it.each([
    ['ISSUE_TEMPLATE.md', 'Root words'],
    ['issue_template.yml', bug],
    ['.gitea/ISSUE_TEMPLATE.yaml', bug],
    ['.github/issue_template.yaml', bug],
    ['.github/ISSUE_TEMPLATE.md', wish],
  ])('may be %s', async (path, text) => {
    const name = `single-${path.replaceAll(/[^a-z]/gi, '').toLowerCase()}${path.includes('SSUE_T') ? 'x' : ''}`;
    bellows.forge.world.createRepo({ as: 'ada', owner: 'acme', name });
    bellows.forge.world.plantFile({ repo: `acme/${name}`, path, text });
    bellows.forge.requests.clear();
    const file = path.slice(path.lastIndexOf('/') + 1);
    const answer = await type('ada', `issue create acme/${name} Only --template ${file}`);
    if (text === bug) return expect(answer.text).toContain('has questions to answer: Version, I looked for it');
    expect(Object(sent()).body).toContain(text === wish ? 'I want' : text);
    expect(Object(sent()).body).not.toContain('about:');
  });

  it('is ignored if it cannot be read', async () => {
    bellows.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'unreadable' });
    bellows.forge.world.plantFile({ repo: 'acme/unreadable', path: 'ISSUE_TEMPLATE.yaml', text: 'name: [' });
    const answer = await type('ada', 'issue create acme/unreadable Only --template issue_template.yaml');
    expect(answer.text).toContain('It has none.');
  });
});

describe('a Markdown template', () => {
  it('fills the text and the labels', async () => {
    const view = await choose('Story', { title: 'A wish' });
    expect(words(view)).toContain('## As a person');
    expect(words(view)).toContain('"value":"docs"');
  });

  it('is used unchanged if it was typed', async () => {
    bellows.forge.requests.clear();
    await type('ada', `issue create ${repo} Wish --template story.md`);
    expect(Object(sent()).body).toContain('I want');
  });

  it('is used without the labels and people that its repository no longer has', async () => {
    bellows.forge.requests.clear();
    await type('ada', `issue create ${repo} Typed --template stale`);
    expect(sent()).toMatchObject({ title: 'Typed', assignees: ['grace'], labels: [expect.any(Number)] });
    const view = words(await choose('Stale', { title: 'From the form' }));
    expect(view).toContain('"value":"docs"');
    expect(view).not.toMatch(/nosuch|nobody/);
    await ada().submit();
    await bellows.slack.until(() => Object(sent()).title === 'From the form');
    expect(sent()).toMatchObject({ assignees: ['grace'], labels: [expect.any(Number)] });
  });

  it('excuses no name that was typed', async () => {
    const answer = await type('ada', `issue create ${repo} Wish --template stale --labels nosuch`);
    expect(answer.text).toContain('has no label `nosuch`');
  });

  it('may be the only file of its repository', async () => {
    bellows.forge.requests.clear();
    await type('ada', 'issue create acme/website Wish --template issue_template');
    expect(Object(sent()).body).toBe('Tell us more.');
  });
});

it('says which templates there are', async () => {
  const answer = await type('ada', `issue create ${repo} Wish --template nosuch`);
  expect(answer.text).toContain('no issue template “nosuch”. It has: bug.yaml, ');
});

it('offers nobody the templates of repositories they may not see', async () => {
  const linus = bellows.slack.as('grace');
  await linus.command('engine', '/forge', 'issue create acme/vault');
  const view = await form('grace');
  expect((await linus.suggest(view, 'templates:template', '')).options).toEqual([]);
  await linus.close();
  const answer = await type('grace', 'issue create acme/vault Wish --template secret');
  expect(answer.text).not.toContain('As a person');
});
