import { command, type Observation, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, text, toggle } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { gather } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { RegisteredRunner } from '../../forge/schemas.js';
import { doneCard, secretCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { bold, code, md } from '../../view/text.js';

/** Without the created runner if its answer was lost. */
interface Added {
  readonly id: number;
  readonly made?: RegisteredRunner;
}

interface NewRunner {
  readonly name: string;
  readonly description?: string | undefined;
  readonly ephemeral?: boolean | undefined;
}

const inputOf = ({ name, description, ephemeral }: NewRunner) => ({
  body: { name, ...(description === undefined ? {} : { description }), ephemeral: ephemeral === true },
});

const mostRunners = 500;

const present = ({ api }: Context) => gather(api.admin.listRunners.each({}, { max: mostRunners }));

const planRunner = (args: NewRunner) => [request('admin.createRunner', inputOf(args))];

async function observeRunners({ name }: NewRunner, context: Context): Promise<Observation> {
  const runners = await ifAnswered(present(context));
  const same = runners?.filter((runner) => runner.name === name).length ?? 0;
  return {
    bound: { 'runners of that name': same },
    shown: [
      ['Runners now', String(runners?.length ?? 'unknown')],
      ['With this name', String(same)],
    ],
  };
}

async function addRunner(args: NewRunner, context: Context): Promise<Added> {
  const ids = (await present(context)).map(({ id }) => id);
  // its id identifies it later
  context.remember(String(Math.max(0, ...ids)));
  const made = await context.api.admin.createRunner(inputOf(args));
  return { id: made.id, made };
}

async function findAddedRunner({ name }: NewRunner, context: Context, { note }: Sent): Promise<Added | undefined> {
  const found = (await present(context)).find((runner) => runner.name === name && runner.id > Number(note ?? 'NaN'));
  return found && { id: found.id };
}

const addedRunnerMessage = ({ id, made }: Added, { name }: NewRunner, { slash }: Context) =>
  message({
    text: 'The token of a new runner.',
    blocks: made
      ? secretCard(md`Registered runner ${bold(name)}. Its UUID is ${code(made.uuid)}; its token is:`, made.token, [
          'anyone who has it can run as this runner',
        ])
      : doneCard({
          says: md`Registered runner ${bold(name)}.`,
          but: [md`Its token was lost. Run ${code(`${slash} runner remove ${id}`)}, then register it again.`],
        }),
  });

export const runnerAdd = command({
  name: 'runner add',
  title: 'Register a runner',
  summary: 'Register a new runner and get its token, shown only to you',
  examples: ['runner add builder-9'],
  fields: {
    name: text({ label: 'Name', placeholder: 'name' }),
    description: flag(text({ label: 'Description' })),
    ephemeral: toggle({ label: 'Ephemeral', text: 'Runs one job, then is removed' }),
  },
  role: 'admin',
  risk: 'risky',
  confidential: true,
  effect: 'once',
  operations: ['admin.createRunner', 'admin.listRunners'],
  needs: ['admin.createRunner'],
  plan: planRunner,
  approval: { observe: observeRunners },
  run: addRunner,
  findDone: findAddedRunner,
  reply: addedRunnerMessage,
});
