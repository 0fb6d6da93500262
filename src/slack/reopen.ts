import type { WebClient } from '@slack/web-api';
import type { CommandJob } from '../chat/act-job.js';
import { openArgs, resolveGiven } from '../chat/arguments.js';
import { type AnyCommand, staysOpen } from '../chat/command.js';
import type { Context } from '../chat/context.js';
import { isHidden, printOf, seenIn } from '../chat/fields.js';
import { type Drawn, drawForm, drawingAt } from '../chat/form/draw.js';
import { knownIn } from '../chat/repo-ids.js';
import type { Answers } from '../chat/runtime.js';
import { readOnlySession, type Services } from '../chat/session.js';
import { fieldsOf } from '../chat/usage.js';
import { reasonOf } from '../errors.js';
import { type Blocks, literal, section } from '../view/blocks.js';
import type { Message } from '../view/message.js';
import { bold, md } from '../view/text.js';
import { signForm } from './doors/form.js';
import { lacksDefault } from './doors/own-repository.js';

interface Reopening {
  readonly services: Services;
  readonly client: WebClient;
}

/** Answers that can also reopen a form. */
export function withReopen(answers: Omit<Answers, 'reopen'>, reopening: Reopening): Answers {
  return {
    ...answers,
    async reopen(job, command, why) {
      try {
        return await reopenForm(job, command, why, reopening);
      } catch (error) {
        // The form may be closed by now: then a message says what happened.
        reopening.services.log.debug({ command: command.name, reason: reasonOf(error) }, 'a form could not come back');
        return false;
      }
    },
  };
}

async function reopenForm(
  job: CommandJob,
  command: AnyCommand,
  why: 'conflict' | Message,
  { services, client }: Reopening,
): Promise<boolean> {
  const { viewId, responseUrl, home } = job.answer;
  if (viewId === undefined || !staysOpen(command) || job.source !== 'form') return false;
  const drawn =
    why === 'conflict' ? await bothTexts(job, command, services) : await asSent(job, command, why, services);
  const placeless = await lacksDefault({ services, team: job.person.team }, job.channel);
  const view = drawForm(command, {
    ...drawn,
    drawing: drawingAt(services.now()),
    meta: {
      command: command.name,
      ...(job.channel === undefined ? {} : { channel: job.channel }),
      ...(responseUrl === undefined ? {} : { responseUrl }),
      ...(home === undefined ? {} : { home: true as const }),
      ...(job.dryRun ? { dryRun: true as const } : {}),
      known: knownIn(job.args),
      ...(placeless && { placeless }),
    },
  });
  await client.views.update({ view_id: viewId, view: signForm(view, services.store.seal, job.person) });
  return true;
}

type Content = Pick<Drawn, 'values' | 'notice' | 'filledBefore' | 'asked' | 'hides'>;

async function bothTexts(job: CommandJob, command: AnyCommand, services: Services): Promise<Content> {
  const context = await readOnly(job, services);
  const edited = openArgs(command, job, services.store);
  const given = await resolveGiven(command, edited, context);
  const current: Loose = (await command.form?.prefill?.(given, context)) ?? {};
  const now = await resolveGiven(command, current, context);
  const merged = merge(command, { edited, given, current, now });
  return { values: merged.values, notice: noticeOf(command, merged.contested, current) };
}

/** A forge that just refused is not asked for values again: the fields hold what was sent, below the error. */
async function asSent(job: CommandJob, command: AnyCommand, said: Message, services: Services): Promise<Content> {
  const edited = openArgs(command, job, services.store);
  const values = fieldsOf(command).filter(([name, field]) => field.secret !== true && name in edited);
  const asked = command.form?.asks?.again
    ? await questionsNow(job, command, services).catch(() => undefined)
    : undefined;
  return {
    values: { ...Object.fromEntries(values.map(([name]) => [name, edited[name]])), ...asked?.values },
    asked: asked?.asked,
    hides: asked?.hides,
    // A button here would replace the form with its answer.
    notice: [...said.blocks.filter(({ type }) => type !== 'actions'), ...(asked?.notice ?? [])],
    filledBefore: job.answer.filled === true,
  };
}

async function questionsNow(job: CommandJob, command: AnyCommand, services: Services) {
  const context = await readOnly(job, services);
  return command.form?.asks?.of(await resolveGiven(command, openArgs(command, job, services.store), context), context);
}

type Loose = Readonly<Record<string, unknown>>;

interface Sides {
  /** As typed, and as resolved. */
  readonly edited: Loose;
  readonly given: Loose;
  readonly current: Loose;
  readonly now: Loose;
}

/** Unchanged fields show the current value, edited ones stay; hidden fingerprints are renewed. */
function merge(command: AnyCommand, { edited, given, current, now }: Sides) {
  const seen = seenIn(given);
  const values: Record<string, unknown> = {};
  const contested: string[] = [];
  for (const [name, field] of fieldsOf(command)) {
    const wrote = name in edited && seen[name] !== printOf(given[name]);
    if (isHidden(field)) values[name] = current[name];
    else values[name] = field.required || wrote ? edited[name] : current[name];
    const differs = printOf(now[name]) !== printOf(given[name]);
    if (wrote && !field.required && !isHidden(field) && differs && printOf(now[name]) !== seen[name])
      contested.push(name);
  }
  return { values, contested };
}

function noticeOf(command: AnyCommand, contested: readonly string[], current: Loose): Blocks {
  const head = section(
    md`⚠️ ${bold('Someone else edited this.')} Nothing was saved. The fields hold your version; the current one is below. Save again to replace it.`,
  );
  if (contested.length === 0) {
    return [
      section(
        md`⚠️ ${bold('Someone else edited this.')} Nothing was saved. The fields you did not change show the current values. Save again.`,
      ),
    ];
  }
  const texts = fieldsOf(command)
    .filter(([name]) => contested.includes(name))
    .flatMap(([name, field]) => {
      const value = current[name];
      const text = value === undefined || value === null || value === '' ? '(empty)' : field.show(value);
      return [section(md`${bold(`${field.label}, as it is now`)}`), literal(text)];
    });
  return [head, ...texts];
}

async function readOnly(job: CommandJob, services: Services): Promise<Context> {
  return readOnlySession(services, {
    person: job.person,
    channel: job.channel,
    account: await services.store.accounts.get(job.person),
  });
}
