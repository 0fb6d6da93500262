import { jobIdOf } from '../../chat/act-job.js';
import { refuseRole } from '../../chat/admit.js';
import { staysOpen } from '../../chat/command.js';
import { commandJob } from '../../chat/command-job.js';
import { explanation, plainWords } from '../../chat/explain.js';
import { mismatches, readBlockId } from '../../chat/form/questions.js';
import { patternedIn, readForm } from '../../chat/form/read.js';
import { among, withRepoIds } from '../../chat/repo-ids.js';
import { UserError } from '../../errors.js';
import { errorModal, loadingModal } from '../../view/form.js';
import { md } from '../../view/text.js';
import { type DoorDeps, personOf, readingOf, refusalOf } from '../door-deps.js';
import type { ViewAck, ViewSubmission } from '../payloads.js';
import { denyCallback, onDeny } from './deny.js';
import { readSignedMeta } from './form.js';

/** A submitted form continues like a typed command; errors are shown at their field. */
export async function onSubmission(deps: DoorDeps, payload: ViewSubmission): Promise<ViewAck> {
  const { view, user } = payload;
  const person = personOf(deps, user.id);
  try {
    const denied = view.callback_id === denyCallback ? await onDeny(deps, payload) : undefined;
    if (denied) return denied;
    const meta = readSignedMeta(view.private_metadata, deps.services.store.seal, person);
    const command = meta && deps.catalog.get(meta.command);
    if (!meta || !command) {
      deps.services.log.warn({ callback: view.callback_id.slice(0, 80) }, 'refused a form that was not drawn here');
      return showFailure('This form is from an older version. Open it again.');
    }
    refuseRole(command, deps.services.roles.of(person));
    const read = readForm(command, view.state?.values ?? {}, await readingOf(deps, user.id), meta);
    if ('errors' in read) return { kind: 'errors', errors: read.errors };
    const patterned = patternedIn(view.state?.values ?? {}, meta);
    const wrong = await mismatches(patterned);
    if (wrong.size > 0) {
      const pairs = patterned
        .filter(({ id }) => wrong.has(id))
        .map(({ id, pattern }) => [id, `This has to match ${pattern}`]);
      return { kind: 'errors', errors: Object.fromEntries(pairs) };
    }
    command.check?.(read.args);
    const stays = staysOpen(command);
    const job = commandJob(deps.services, command, {
      args: withRepoIds(read.args, among(meta.known ?? [])),
      dryRun: meta.dryRun === true,
      source: 'form',
      person,
      channel: meta.channel,
      answer: {
        ...(meta.responseUrl === undefined ? {} : { responseUrl: meta.responseUrl }),
        ...(meta.replace ? { replace: true } : {}),
        ...(meta.home ? { home: '' } : {}),
        ...(meta.thread === undefined ? {} : { threadTs: meta.thread }),
        ...(stays ? { viewId: view.id, filled: meta.filled === true } : {}),
      },
    });
    const refused = refusalOf(await deps.accept(job, jobIdOf('v', view.id, view.hash ?? '')));
    if (!refused)
      return stays ? { kind: 'update', view: loadingModal({ title: 'Forge', text: md`Sending…` }) } : { kind: 'close' };
    const [first] = Object.keys(view.state?.values ?? {});
    return first === undefined ? showFailure(refused.text) : { kind: 'errors', errors: { [first]: refused.text } };
  } catch (error) {
    if (error instanceof UserError && error.field !== undefined)
      return {
        kind: 'errors',
        errors: { [blockOf(view, error.field)]: plainWords(error, deps.services.slash) },
      };
    const { says, next } = explanation(error, deps.services);
    return showFailure(says, next);
  }
}

/** A form that was drawn again has other ids. */
const blockOf = ({ state }: ViewSubmission['view'], field: string): string =>
  Object.keys(state?.values ?? {}).find((id) => readBlockId(id)?.name === field) ?? field;

const showFailure = (text: string, next?: string): ViewAck => ({
  kind: 'update',
  view: errorModal({ title: 'Forge', text, next }),
});
