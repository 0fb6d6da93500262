import { runButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import { fullName, type RepositoryRef, type RunRef } from '../../chat/references.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { failureCard } from '../../view/cards/outcome.js';
import { runName } from '../../view/cards/run.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { stops } from './card.js';
import { isDone } from './read.js';

/** What is about to be done to the run, for the buttons that choose one. */
export interface Doing {
  readonly verb: string;
  readonly command: 'run show' | 'run cancel' | 'run force-cancel' | 'run rerun' | 'run log' | 'run approve';
  /** Changes nothing, so a number with only one meaning needs no choice. */
  readonly reads?: true;
  /** What else was typed. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Only the person knows which of the two is meant: neither is touched before they choose. */
export function whichOf(
  ref: RunRef,
  typed: WorkflowRun | undefined,
  other: WorkflowRun | undefined,
  doing: Doing | undefined,
  context: Context,
): MessageError {
  const only = typed && other ? undefined : (typed ?? other);
  const says =
    typed && other
      ? md`${ref.run} can mean two runs, so nothing was changed. The ID ${ref.run} is ${runName(typed)}. On the forge’s pages, number ${ref.run} is ${runName(other)}.`
      : md`No run of ${fullName(ref)} has the ID ${ref.run}.${only ? md` Did you mean ${runName(only)}?` : md``}`;
  const chosen = doing ? [typed, other].flatMap((run) => (run ? choose(run, ref, doing, context) : [])) : [];
  const alone = only ? undefined : 'Choose one.';
  const next = chosen.length > 0 ? alone : 'Check the numbers, or use the run’s web address.';
  return new MessageError(message({ blocks: failureCard({ says, next, buttons: chosen }) }));
}

function choose(run: WorkflowRun, at: RepositoryRef, { verb, command, args }: Doing, { dryRun }: Context) {
  if (isDone(run) ? command === 'run cancel' || command === 'run force-cancel' : command === 'run rerun') return [];
  const { owner, repo } = at;
  const drawn = runButtonIfFits({
    text: dryRun ? `Dry run: ${verb.toLowerCase()} ${run.display_title}` : `${verb} ${run.display_title}`,
    command,
    args: { ...args, run: { owner, repo, run: run.id } },
    dryRun,
    // A dry run changes nothing, so there is nothing to confirm.
    ...(!dryRun && (command === 'run cancel' || command === 'run force-cancel') && stops[command]),
  });
  return drawn ? [drawn] : [];
}
