import { formButtonIfFits } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { address, choice, choices, flag, hidden, number, optional, secret, text, toggle } from '../../chat/fields.js';
import { MessageError } from '../../chat/message-error.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { Repository } from '../../forge/schemas.js';
import { failureCard, progressCard } from '../../view/cards/outcome.js';
import { repositoryCard } from '../../view/cards/repository.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { lookUp, type NewName, newName } from './lookup.js';

const services = [
  'git',
  'github',
  'gitea',
  'forgejo',
  'gitlab',
  'gogs',
  'onedev',
  'gitbucket',
  'codebase',
  'codecommit',
] as const;
const parts = ['issues', 'labels', 'milestones', 'pulls', 'releases', 'wiki', 'lfs'] as const;
type Part = (typeof parts)[number];

interface Import {
  readonly address: string;
  readonly repository: NewName;
  readonly service?: (typeof services)[number] | undefined;
  readonly with?: readonly Part[] | undefined;
  readonly private?: boolean | undefined;
  readonly public?: boolean | undefined;
  readonly mirror?: boolean | undefined;
  readonly every?: string | undefined;
  readonly description?: string | undefined;
  readonly lfsEndpoint?: string | undefined;
  readonly login?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
  /** The id of the empty repository that an earlier try left there. */
  readonly leftover?: number | undefined;
}

/** A source that needs a login is private and stays so unless the person says otherwise. */
function isPrivate({ private: wanted, public: open, token, password, secretKey }: Import): boolean | undefined {
  const guarded = token !== undefined || password !== undefined || secretKey !== undefined;
  return wanted || (guarded && !open) ? true : wanted;
}

/** What is sent, with the forge's field names. */
function bodyOf(args: Import) {
  const wanted = new Set<Part>(args.with);
  return {
    clone_addr: args.address,
    repo_owner: args.repository.owner,
    repo_name: args.repository.name,
    service: args.service,
    description: args.description,
    private: isPrivate(args),
    mirror: args.mirror,
    mirror_interval: args.every,
    lfs_endpoint: args.lfsEndpoint,
    auth_username: args.login,
    auth_password: args.password,
    auth_token: args.token,
    aws_access_key_id: args.accessKey,
    aws_secret_access_key: args.secretKey,
    issues: wanted.has('issues'),
    labels: wanted.has('labels'),
    milestones: wanted.has('milestones'),
    pull_requests: wanted.has('pulls'),
    releases: wanted.has('releases'),
    wiki: wanted.has('wiki'),
    lfs: wanted.has('lfs'),
  };
}

const placeOf = ({ repository: { owner, name } }: Import) => ({ owner, repo: name });

const planOf = (args: Import) => [
  ...(args.leftover === undefined ? [] : [request('repos.delete', placeOf(args))]),
  request('repos.migrate', { body: bodyOf(args) }),
];

const firstMs = 2_000;
const everyMs = 5_000;

/** Reports how long the work has taken until it ends; a report in progress is finished first, so that the answer comes last. */
async function whileTelling<T>(tell: (passedMs: number) => Promise<void>, work: Promise<T>): Promise<T> {
  const started = performance.now();
  let telling: Promise<void> = Promise.resolve();
  let timer = setTimeout(tick, firstMs);
  function tick(): void {
    telling = tell(performance.now() - started).catch(() => {});
    timer = setTimeout(tick, everyMs);
  }
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    await telling;
  }
}

interface Imported {
  readonly repository: Repository;
  /** Not confirmed by the forge; found by checking. */
  readonly looked: boolean;
}

const nameOf = ({ repository: { owner, name } }: Import) => `${owner}/${name}`;

async function migrateRepository(args: Import, context: Context): Promise<Imported> {
  const there = await lookUp(args.repository, context.api);
  if (there && !isLeftover(there, args)) throw new UserError(`${there.full_name} already exists. Choose another name.`);
  if (there) await context.api.repos.delete({ owner: args.repository.owner, repo: args.repository.name });
  const tell = (passed: number) => {
    const says = md`Importing ${code(nameOf(args))} from ${new URL(args.address).host}.`;
    const now = new Date(context.now.getTime() + passed);
    return context.progress(message({ blocks: progressCard({ says, since: context.now }, now) }));
  };
  try {
    const repository = await whileTelling(tell, context.api.repos.migrate({ body: bodyOf(args) }));
    return { repository, looked: false };
  } catch (error) {
    // these two are answered once it has ended
    if (!(error instanceof ApiError) || (error.kind !== 'invalid' && error.status !== 500)) throw error;
    const left = await leftBy(args, context);
    throw left?.empty || error.kind === 'invalid' ? await explainRefusal(error, args, left, context) : error;
  }
}

/** Never anything but what a failed import of this name left behind, and only while it is empty. */
const isLeftover = ({ id, empty }: Repository, { leftover }: Import): boolean => id === leftover && empty;

/** Nothing had this name before the import. */
const leftBy = ({ repository }: Import, { api }: Context) => ifAnswered(lookUp(repository, api));

/** Often the token is missing, and only the form asks for one. */
async function explainRefusal(
  error: ApiError,
  args: Import,
  left: Repository | undefined,
  { slash, forge }: Context,
): Promise<MessageError> {
  const { password: _p, token: _t, accessKey: _a, secretKey: _s, leftover: _l, ...open } = args;
  const reason = error.serverMessage.trim().slice(0, 300).replace(/\.+$/, '') || 'no reason given';
  const { product } = await forge.capabilities.server();
  const name = code(nameOf(args));
  if (left && !left.empty)
    return new MessageError(
      message({
        blocks: failureCard({
          says: md`${product} reported an error while importing ${name}: ${reason}. The repository exists.`,
          next: 'Check what arrived. To import it again, delete it there first.',
          buttons: [openButton(left.html_url)],
        }),
      }),
      error,
    );
  const again = formButtonIfFits({
    text: left ? 'Delete it and try again' : 'Change and try again',
    command: 'repo migrate',
    args: { ...open, ...(left && { leftover: left.id }) },
  });
  return new MessageError(
    message({
      blocks: failureCard({
        says: md`${product} could not import ${name}: ${reason}.${left ? md` It left an empty repository.` : ''}`,
        next: 'Check the address. A private source needs a token, or a login and password, in the form.',
        attempt: again ? undefined : `${slash} repo migrate`,
        buttons: [again],
      }),
    }),
    error,
  );
}

/** An empty one is still being filled, or was left by a failure. */
async function findMigrated(args: Import, { api }: Context) {
  const repository = await lookUp(args.repository, api);
  return repository && !repository.empty ? { repository, looked: true } : undefined;
}

const migratedMessage = ({ repository, looked }: Imported, _args: unknown, { now }: Context) =>
  message({
    blocks: repositoryCard(repository, {
      now,
      says: md`Imported`,
      notes: looked
        ? [md`The forge gave no clear answer, but the repository exists. Check that everything arrived.`]
        : [],
      buttons: [openButton(repository.html_url)],
    }),
  });

/** Names that are not the word with a capital letter. */
const serviceNames = {
  github: 'GitHub',
  gitlab: 'GitLab',
  onedev: 'OneDev',
  gitbucket: 'GitBucket',
  codecommit: 'CodeCommit',
} as const;

export const repoMigrate = command({
  name: 'repo migrate',
  title: 'Import repository',
  summary: 'Import a repository from another server',
  examples: [
    'repo migrate https://example.org/ada/loom.git acme/loom',
    'repo migrate https://example.org/ada/loom acme/loom --service gitea --with issues,labels,wiki --private',
  ],
  fields: {
    address: address({ label: 'Address to import from' }),
    repository: newName({ label: 'New owner and name' }),
    service: flag(
      choice(services, {
        label: 'Server type',
        labels: serviceNames,
        hint: 'Leave empty for Git, which imports only the code.',
      }),
    ),
    with: flag(choices(parts, { label: 'Also import', labels: { pulls: 'Pull requests', lfs: 'LFS' } })),
    private: toggle({
      label: 'Private',
      text: 'Only members can see it; the default for a private source',
    }),
    public: toggle({ label: 'Public', text: 'Make it public even if the source is private' }),
    mirror: toggle({ label: 'Mirror', text: 'Keep in sync with the source' }),
    every: flag(text({ label: 'Mirror interval', placeholder: '8h', max: 20 })),
    description: flag(text({ label: 'Description', max: 2048 })),
    lfsEndpoint: flag(text({ label: 'LFS address', placeholder: 'address', max: 1000 })),
    login: flag(text({ label: 'Login at the source', placeholder: 'login', max: 255 })),
    password: optional(secret({ label: 'Password at the source' })),
    token: optional(secret({ label: 'Access token of the source' })),
    accessKey: optional(secret({ label: 'Access key ID', hint: 'For CodeCommit only.' })),
    secretKey: optional(secret({ label: 'Secret access key', hint: 'For CodeCommit only.' })),
    leftover: hidden(number({ label: 'Leftover' })),
  },
  role: 'maintainer',
  risk: 'write',
  effect: 'once',
  operations: ['repos.migrate', 'repos.get', 'repos.search', 'repos.delete'],
  plan: planOf,
  run: migrateRepository,
  findDone: findMigrated,
  reply: migratedMessage,
});
