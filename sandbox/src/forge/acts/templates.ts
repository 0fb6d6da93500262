import { parse } from 'yaml';
import type { Commit, Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { textAt } from './files.js';

const gitea = ['ISSUE_TEMPLATE', 'issue_template'].flatMap((name) =>
  ['', '.gitea/', '.github/', '.gitlab/'].map((folder) => `${folder}${name}`),
);
const forgejo = ['.forgejo/ISSUE_TEMPLATE', '.forgejo/issue_template'];

type Loose = Readonly<Record<string, unknown>>;
const isLoose = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const names = (value: unknown): unknown[] | null =>
  Array.isArray(value)
    ? value
    : text(value) === ''
      ? null
      : text(value)
          .split(',')
          .map((each) => each.trim());

function read(source: string): Loose | undefined {
  try {
    const tree: unknown = parse(source);
    return isLoose(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}

const common = (head: Loose, file: string) => ({
  name: text(head['name']),
  title: text(head['title']),
  about: text(head['about']) || text(head['description']),
  labels: names(head['labels']),
  assignees: names(head['assignees']),
  ref: `refs/heads/${text(head['ref'])}`,
  file_name: file,
});

/** A form needs a name, an about and fields with ids; Markdown its front matter. Others are left out, as on a server. */
function templateIn(file: string, source: string): object | undefined {
  if (/\.ya?ml$/.test(file)) {
    const head = read(source);
    const fields = head && Array.isArray(head['body']) ? head['body'].filter(isLoose) : [];
    if (!head || text(head['name']) === '' || fields.length === 0) return undefined;
    const body = fields.map((field, at) => ({
      type: text(field['type']),
      id: text(field['id']) || (field['type'] === 'markdown' ? '' : String(at)),
      attributes: field['attributes'] ?? {},
      validations: field['validations'] ?? {},
      ...(Array.isArray(field['visible']) && { visible: field['visible'] }),
    }));
    return { ...common(head, file), content: '', body };
  }
  const [, front = '', content = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source) ?? [];
  const head = read(front);
  return head && text(head['name']) !== '' ? { ...common(head, file), content, body: null } : undefined;
}

const foldersOf = ({ site }: State) => (isForgejo(site) ? [...forgejo, ...gitea] : gitea);

/** The first readable config.yaml, or .yml, decides; if it does not say, blank issues are allowed. */
export function takesBlank(state: State, repo: Repo, commit: Commit): boolean {
  const files = foldersOf(state).flatMap((folder) => [`${folder}/config.yaml`, `${folder}/config.yml`]);
  const found: Loose[] = files.flatMap((file) => textAt(repo, commit, file) ?? []).map((source) => read(source) ?? {});
  const [config = {}] = found;
  return config['blank_issues_enabled'] !== false;
}

export function issueTemplates(state: State, repo: Repo, commit: Commit): object[] {
  const files = foldersOf(state).flatMap((folder) =>
    [...repo.texts.keys()].filter((path) => path.startsWith(`${folder}/`) && /\.(md|ya?ml)$/.test(path)),
  );
  return files.flatMap((file) => {
    if (/\/config\.ya?ml$/.test(file)) return [];
    const source = textAt(repo, commit, file);
    return source === undefined ? [] : (templateIn(file, source) ?? []);
  });
}
