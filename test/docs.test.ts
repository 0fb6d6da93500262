import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../src/chat/catalog.js';
import { frozenBy } from '../src/chat/deploy/freeze.js';
import { parseCommand } from '../src/chat/grammar.js';
import { table } from '../src/chat/tables.js';
import { createProgram } from '../src/cli/program.js';
import { readPolicyFile } from '../src/config/file.js';
import { commands } from '../src/features/index.js';
import { type Feature, features, runWatches, settings, subsOf } from '../src/feed/filter.js';
import { createMetrics } from '../src/http/metrics.js';
import { commandServers, filterServers, operationServers } from './support/servers-doc.js';

const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync('docs').map((name) => join('docs', name))].filter(
  (name) => name.endsWith('.md'),
);
const read = (page: string) => readFileSync(page, 'utf8');
const catalog = createCatalog(commands);

/** The text between `<!-- name -->` and `<!-- /name -->`; written there if UPDATE_DOCS is set. */
function between(page: string, name: string, made: string): string {
  const marks = new RegExp(`(<!-- ${name} -->\\n)([\\s\\S]*?)(<!-- /${name} -->)`);
  if (process.env['UPDATE_DOCS'])
    writeFileSync(
      page,
      read(page).replace(marks, (_, open, __, close) => `${open}${made}\n${close}`),
    );
  return marks.exec(read(page))?.[2]?.trimEnd() ?? 'no such marks';
}

const blocks = (page: string, language: string) =>
  [...read(page).matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );

const parts = (feature: Feature): string => {
  if (feature === 'commits') return 'branches: `commits:main,release/*`, only the default branch if none is named';
  if (feature === 'runs')
    return `${runWatches.map((watch) => `\`${watch}\``).join(' ')}; results by the setting \`runs:\``;
  if (feature === 'queue') return 'none: one card, which changes while pull requests are merged in turn';
  return subsOf(feature)
    .map((sub) => `\`${sub}\``)
    .join(' ');
};

describe('generated tables', () => {
  it('README lists every command', () => {
    const made = table(catalog);
    expect(between('README.md', 'commands', made)).toBe(made);
  });

  it('docs/servers.md says what works where', () => {
    for (const [name, made] of [
      ['servers', commandServers(catalog)],
      ['filters', filterServers()],
      ['operations', operationServers()],
    ] as const) {
      expect(between('docs/servers.md', name, made)).toBe(made);
    }
  });

  it('docs/commands.md lists every feature and setting of a subscription', () => {
    const rows = features.map((feature) => `| \`${feature}\` | ${parts(feature)} |`);
    const made = ['| Feature | Parts |', '|---|---|', ...rows].join('\n');
    expect(between('docs/commands.md', 'features', made)).toBe(made);
    const values = Object.entries(settings).map(
      ([name, all]) => `| \`${name}:\` | ${all.map((one) => `\`${one}\``).join(' ')} |`,
    );
    const settingsTable = ['| Setting | Values |', '|---|---|', ...values].join('\n');
    expect(between('docs/commands.md', 'settings', settingsTable)).toBe(settingsTable);
  });
});

describe('the docs', () => {
  it('link only to what exists', () => {
    const dead = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(([link, path = '', anchor]) => {
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(target)) return [`${page}: ${link}`];
        const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
          text
            .toLowerCase()
            .replace(/[^\w\s-]/g, '')
            .trim()
            .replaceAll(' ', '-'),
        );
        return anchor === undefined || headings.includes(anchor) ? [] : [`${page}: ${link}`];
      }),
    );
    expect(dead).toEqual([]);
  });

  it('show only commands that parse', () => {
    const lines = pages.flatMap((page) => blocks(page, 'text')).flatMap((text) => text.split('\n'));
    const typed = lines.map((line) => line.trim()).filter((line) => line.startsWith('/forge '));
    expect(typed.length).toBeGreaterThan(15);
    const reading = { now: new Date('2026-11-10T09:00:00Z'), webUrl: 'https://git.example.org', slash: '/forge' };
    for (const line of typed) expect([line, parseCommand(line, catalog, reading).kind]).toEqual([line, 'command']);
  });

  it('show a deployment that is accepted, frozen when they say', () => {
    const [text = ''] = blocks('docs/deploy.md', 'yaml');
    const { production } = readPolicyFile(text, 'bellows.yaml').deployments;
    if (!production) throw new Error('docs/deploy.md has no production');
    expect(production).toMatchObject({ refs: ['main', 'v*'], askFor: ['version'], count: 1, authorsCount: false });
    const frozen = (at: string) => frozenBy('production', production, undefined, new Date(at)) !== undefined;
    // in Berlin time: Friday 15:59 and 16:00, Sunday 23:59, Monday
    expect(
      ['2026-11-13T14:59:00Z', '2026-11-13T15:00:00Z', '2026-11-15T22:59:00Z', '2026-11-15T23:00:00Z'].map(frozen),
    ).toEqual([false, true, true, false]);
  });

  it('show a bellows.yaml that is accepted', () => {
    const shown = blocks('docs/deployment.md', 'yaml').filter((text) => text.startsWith('# bellows.yaml'));
    expect(shown).toHaveLength(1);
    for (const text of shown)
      expect(readPolicyFile(text, 'bellows.yaml').approvals.commands).toHaveProperty('cron run');
  });

  it('name every setting, in the manual and in .env.example', () => {
    const settings = read('src/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+):/gm);
    const names = [...new Set([...settings].map(([, name = '']) => name))];
    expect(names.length).toBeGreaterThan(15);
    const inManual = [...read('docs/deployment.md').matchAll(/`([A-Z][A-Z_]{3,})`/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !inManual.includes(name))).toEqual([]);
    const inExample = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(inExample.sort()).toEqual(names.filter((name) => name !== 'SLACK_API_URL').sort());
  });

  it('name every subcommand of the command line', () => {
    const listed = [...read('docs/deployment.md').matchAll(/^\| `bellows ([a-z-]+)` /gm)].map(([, word = '']) => word);
    const program = createProgram(async () => {}, { env: {}, print: () => {}, version: '0.0.0' });
    expect(listed.sort()).toEqual(program.commands.map((command) => command.name()).sort());
  });

  it('name every metric', async () => {
    const { text } = await createMetrics().text();
    const counted = [...text.matchAll(/^# TYPE (bellows_\w+)/gm)].map(([, name = '']) => name);
    const listed = [...read('docs/deployment.md').matchAll(/^\| `(bellows_\w+)`/gm)].map(([, name = '']) => name);
    const gauges = [
      'outbox_entries',
      'outbox_age_seconds',
      'outbox_paused',
      'outbox_aside',
      'queue_entries',
      'sources',
      'woken_lag_seconds',
      'poll_lag_seconds',
      'inbox_lag_seconds',
    ];
    expect(listed.sort()).toEqual([...counted, ...gauges.map((name) => `bellows_${name}`)].sort());
  });

  it('mention npm scripts that exist', () => {
    const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts;
    const spoken = pages.flatMap((page) => [...read(page).matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name));
    expect(spoken.filter((name) => !(name in scripts))).toEqual([]);
  });
});
