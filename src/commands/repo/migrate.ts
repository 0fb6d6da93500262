import { formButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { address, choice, choices, flag, optional, secret, text, toggle } from '../../chat/fields/index.js';
import { MessageError } from '../../chat/message-error.js';
import { whileTelling } from '../../domain/repositories/elapsed.js';
import { lookUp } from '../../domain/repositories/lookup.js';
import { bodyOf, type Import, parts, planOf, services } from '../../domain/repositories/migrate-body.js';
import { newName } from '../../domain/repositories/new-name.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { failureCard, progressCard } from '../../view/cards/outcome.js';
import { repositoryCard } from '../../view/cards/repository.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';

interface Imported {
  readonly repository: Repository;
  /** The forge's answer never came: seen by looking. */
  readonly looked: boolean;
}

const nameOf = ({ repository: { owner, name } }: Import) => `${owner}/${name}`;

async function migrate(args: Import, context: Context): Promise<Imported> {
  const there = await lookUp(args.repository, context.api);
  if (there) throw new UserError(`${there.full_name} already exists. Choose another name.`);
  const tell = (passed: number) => {
    const says = md`Importing ${code(nameOf(args))} from ${new URL(args.address).host}.`;
    const now = new Date(context.now.getTime() + passed);
    return context.progress(message({ blocks: progressCard({ says, since: context.now }, now) }));
  };
  try {
    const repository = await whileTelling(tell, context.api.repos.migrate({ body: bodyOf(args) }));
    return { repository, looked: false };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw error.kind === 'invalid' ? refused(error, args) : error;
  }
}

/** Often it is the credential that is missing, and only the form asks for one. */
function refused(error: ApiError, args: Import): MessageError {
  const { password: _p, token: _t, accessKey: _a, secretKey: _s, ...open } = args;
  const reason = error.serverMessage.trim().slice(0, 300) || 'no reason given';
  const again = formButton({ text: 'Change and try again', command: 'repo migrate', args: { ...open } });
  return new MessageError(
    message({
      blocks: failureCard({
        says: md`The forge did not import ${code(nameOf(args))}: ${reason}.`,
        next: 'Check the address. A private source needs a token, or a login and password, in the form.',
        buttons: [again],
      }),
    }),
    error,
  );
}

export const repoMigrate = command({
  name: 'repo migrate',
  summary: 'Import a repository from another server',
  examples: [
    'repo migrate https://example.org/ada/loom.git acme/loom',
    'repo migrate https://example.org/ada/loom acme/loom --service gitea --with issues,labels,wiki --private',
  ],
  fields: {
    address: address({ label: 'Address to import from' }),
    repository: newName({ label: 'New owner and name' }),
    service: flag(
      choice(services, { label: 'Server type', hint: 'Leave empty for git, which imports only the code.' }),
    ),
    with: flag(choices(parts, { label: 'Also import' })),
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
    accessKey: optional(secret({ label: 'Access key id', hint: 'For CodeCommit only.' })),
    secretKey: optional(secret({ label: 'Secret access key', hint: 'For CodeCommit only.' })),
  },
  role: 'maintainer',
  risk: 'write',
  effect: 'once',
  operations: ['repos.migrate', 'repos.get', 'repos.search'],
  plan: planOf,
  run: migrate,
  async findDone(args, { api }) {
    const repository = await lookUp(args.repository, api);
    return repository && { repository, looked: true };
  },
  reply: ({ repository, looked }, _args, { now }) =>
    message({
      blocks: repositoryCard(repository, {
        now,
        says: md`Imported`,
        notes: looked
          ? [md`The forge’s response was lost, but the repository exists. Check that everything arrived.`]
          : [],
        buttons: [openButton(repository.html_url)],
      }),
    }),
});
