import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { readAsked, rememberedAs } from '../../src/chat/form/questions.js';
import { questionsOf } from '../../src/features/workflows/dispatch.js';
import { type DeclaredInput, readDeclared } from '../../src/features/workflows/file.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { after, type, form } = talkTo(() => bellows);
const repo = 'acme/engine';
const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
const bodies = () => bellows.forge.requests.of(dispatches).map(({ body }) => body);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await type('ada', `repo use ${repo}`);
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('asks for the workflow file’s inputs, and sends the answers', async () => {
  const ada = bellows.slack.as('ada');
  const list = await type('ada', 'workflow list');
  await ada.click(list, 'Run…');
  const empty = words(await form('ada'));
  expect(empty).toContain('Branch or tag');
  expect(empty).not.toContain('Inputs');
  await ada.close();
  bellows.forge.world.plantWorkflow({
    repo,
    file: 'ci.yml',
    text: deployText(),
  });
  await ada.click(list, 'Run…');
  const drawn = words(await form('ada'));
  for (const label of ['environment', 'version', 'workers', 'dry_run', 'Where it goes', 'Only show what would change'])
    expect(drawn).toContain(label);
  expect(drawn).toContain('"initial_value":"2"');
  expect(drawn).toMatch(/"initial_option":\{[^}]*\{[^}]*"staging"/);
  await ada.fill({ environment: 'production', version: 'v1.0', dry_run: 'yes' });
  const answer = await after('ada', () => ada.submit());
  expect(words(answer)).toMatch(/Started \*[^*]+\* on `[^`]+`, <[^|]+\|run \d+>/);
  expect(bodies()).toEqual([
    {
      ref: 'refs/heads/main',
      inputs: { environment: 'production', version: 'v1.0', workers: '2', dry_run: 'true' },
    },
  ]);
});

function deployText(): string {
  const text = [...bellows.forge.world.state.repos.values()]
    .find(({ name }) => name === 'engine')
    ?.texts.get('.gitea/workflows/deploy.yml')
    ?.get('');
  return text ?? '';
}

it('offers the form if a required input is missing', async () => {
  const ada = bellows.slack.as('ada');
  const answer = await type('ada', 'workflow run release.yml');
  await ada.click(answer, 'Fill in inputs');
  await form('ada');
  await ada.fill({ version: '1.0' });
  expect((await after('ada', () => ada.submit())).text).toContain('Started');
  expect(bodies()).toEqual([{ ref: 'refs/heads/main', inputs: { version: '1.0' } }]);
});

function inputNames(length: number): string {
  return Array.from({ length }, (_, at) => `      in${at}: {}\n`).join('');
}

it.each([
  ['too many aliases', `a: &a [x]\nb: [${'*a,'.repeat(200)}]\non: workflow_dispatch`],
  ['too deep', `on: ${'['.repeat(500)}`],
  ['too long', `on: workflow_dispatch\n#${'x'.repeat(200_000)}`],
  ['no map', '- workflow_dispatch'],
  ['no YAML', 'on: [workflow_dispatch'],
  ['too many inputs', `on:\n  workflow_dispatch:\n    inputs:\n${inputNames(501)}`],
])('a hostile workflow file is not read: %s', (_what, text) => {
  expect(readDeclared(text)).toBe('unreadable');
});

it('asks for as many inputs as fit in a form: typed and required ones first', async () => {
  const text = `on:\n  workflow_dispatch:\n    inputs:\n${inputNames(40)}      needed: { required: true }\njobs:\n  build:\n    runs-on: ubuntu-latest\n`;
  bellows.forge.world.plantWorkflow({ repo, file: 'many.yml', text });
  const ada = bellows.slack.as('ada');
  const answer = await type('ada', 'workflow run many.yml --input in39=last');
  await ada.click(answer, 'Fill in inputs');
  const drawn = words(await form('ada'));
  expect(drawn).toContain('needed');
  expect(drawn.match(/"in\d+"/g)).toHaveLength(24);
  expect(drawn).not.toContain('"in23"');
  await ada.fill({ needed: 'yes' });
  expect((await after('ada', () => ada.submit())).text).toContain('Started');
  expect(bodies()).toMatchObject([{ inputs: { needed: 'yes', in39: 'last' } }]);
});

it('reads only the known parts of an input', () => {
  const head = 'on:\n  workflow_dispatch:\n    inputs:\n';
  expect(
    readDeclared(
      `${head}      __proto__:\n        default: x\n      a b:\n        default: y\n      ok:\n        type: choice\n`,
    ),
  ).toEqual([
    { name: '__proto__', type: 'string', description: '', required: false, default: 'x', options: [] },
    { name: 'ok', type: 'string', description: '', required: false, default: undefined, options: [] },
  ]);
  expect(readDeclared('on: [push, workflow_dispatch]')).toEqual([]);
  expect(readDeclared('on: push')).toBe('none');
});

it('reads values as they are written, like the server', () => {
  const inputs = `      version: { default: 1.10, required: true }
      count: { type: choice, options: [1.0, 0x10, "2"] }
      sure: { type: boolean, default: True }
      open: { default: ~, description: }\n`;
  expect(readDeclared(`on:\n  workflow_dispatch:\n    inputs:\n${inputs}`)).toMatchObject([
    { default: '1.10', required: true },
    { options: ['1.0', '0x10', '2'] },
    { default: 'True' },
    { default: undefined, description: '' },
  ]);
});

it('sends an empty value where a default was cleared', () => {
  const about = { type: 'string', description: '', required: false, options: [] } as const;
  const declared: DeclaredInput[] = [
    { ...about, name: 'scope', default: 'all' },
    { ...about, name: 'note', default: undefined },
  ];
  const questions = questionsOf(declared, {});
  expect(readAsked(rememberedAs(questions), () => undefined)).toEqual({ scope: '' });
});
