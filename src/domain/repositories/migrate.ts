import { formButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { failureCard, progressCard } from '../../view/cards/outcome.js';
import { repositoryCard } from '../../view/cards/repository.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { lookUp } from './lookup.js';
import { bodyOf, type Import } from './migrate-body.js';
import { whileTelling } from './progress.js';

interface Imported {
  readonly repository: Repository;
  /** The forge's answer was lost; found by checking. */
  readonly looked: boolean;
}

const nameOf = ({ repository: { owner, name } }: Import) => `${owner}/${name}`;

export async function migrateRepository(args: Import, context: Context): Promise<Imported> {
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
    if (!(error instanceof ApiError)) throw error;
    throw error.kind === 'invalid' ? refused(error, args, await leftBy(args, context), context) : error;
  }
}

/** Never anything but what a failed import of this name left behind, and only while it is empty. */
const isLeftover = ({ id, empty }: Repository, { leftover }: Import): boolean => id === leftover && empty;

/** Nothing had this name before the import. */
async function leftBy({ repository }: Import, { api }: Context): Promise<Repository | undefined> {
  const there = await ifAnswered(lookUp(repository, api));
  return there?.empty ? there : undefined;
}

/** Often the token is missing, and only the form asks for one. */
function refused(error: ApiError, args: Import, left: Repository | undefined, { slash }: Context): MessageError {
  const { password: _p, token: _t, accessKey: _a, secretKey: _s, leftover: _l, ...open } = args;
  const reason = error.serverMessage.trim().slice(0, 300).replace(/\.+$/, '') || 'no reason given';
  const again = formButtonIfFits({
    text: left ? 'Delete it and try again' : 'Change and try again',
    command: 'repo migrate',
    args: { ...open, ...(left && { leftover: left.id }) },
  });
  return new MessageError(
    message({
      blocks: failureCard({
        says: md`The forge did not import ${code(nameOf(args))}: ${reason}.${left ? md` It left an empty repository.` : ''}`,
        next: 'Check the address. A private source needs a token, or a login and password, in the form.',
        attempt: again ? undefined : `${slash} repo migrate`,
        buttons: [again],
      }),
    }),
    error,
  );
}

export async function findMigrated(args: Import, { api }: Context) {
  const repository = await lookUp(args.repository, api);
  return repository && !isLeftover(repository, args) ? { repository, looked: true } : undefined;
}

export const migratedMessage = ({ repository, looked }: Imported, _args: unknown, { now }: Context) =>
  message({
    blocks: repositoryCard(repository, {
      now,
      says: md`Imported`,
      notes: looked
        ? [md`The forge’s response was lost, but the repository exists. Check that everything arrived.`]
        : [],
      buttons: [openButton(repository.html_url)],
    }),
  });
