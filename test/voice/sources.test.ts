import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commentIssues, proseIssues } from './hold.js';

const list = (root: string, ends: RegExp) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => ends.test(file))
    .map((file) => join(root, file));

/** The stand-ins for forge and Slack speak like the originals. */
const foreign = /^sandbox\/src\/(forge|slack)\//;
const sources = [...list('src', /\.tsx?$/), ...list('sandbox/src', /\.tsx?$/)].filter((file) => !foreign.test(file));
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', '.env.example'],
  ...list('docs', /\.md$/),
  ...list('manifests', /\.json$/),
];

const comment = /^\s*(\/\*\*?|\*|\/\/)(.*)$/gm;
const commentsIn = (source: string): string[] => [...source.matchAll(comment)].map(([, , text = '']) => text);

/** Literals of more than one word: texts, not values to compare. */
function said(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const code = source.replaceAll(comment, '');
  const page = file.endsWith('x') ? />([^<>{}]+)</g : /(?!)/g;
  const literals = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;
  return [...code.matchAll(literals), ...code.matchAll(page)]
    .map(([, plain, filled]) => plain ?? filled?.replaceAll(/\$\{[^}]*\}/g, '…') ?? '')
    .filter((text) => /\S\s+\S/.test(text));
}

it.each(sources)('%s', (file) => {
  const source = readFileSync(file, 'utf8');
  expect([...said(file).flatMap(proseIssues), ...commentsIn(source).flatMap(commentIssues)]).toEqual([]);
});

it.each(documents)('%s', (file) => {
  const paragraphs = readFileSync(file, 'utf8').split(/\n\s*\n|\n(?=[-|#])/);
  expect(paragraphs.flatMap(proseIssues)).toEqual([]);
});
