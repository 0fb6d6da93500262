import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, text, toggle } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { gathered } from '../../forge/index.js';
import { ifTold } from '../../forge/possible.js';
import type { RegisteredRunner } from '../../forge/schemas/runner.js';
import { doneCard, secretCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { bold, code, md } from '../../view/text.js';

/** Without what was made where its answer was lost. */
interface Added {
  readonly id: number;
  readonly made?: RegisteredRunner;
}

interface Wanted {
  readonly name: string;
  readonly description?: string | undefined;
  readonly ephemeral?: boolean | undefined;
}

const inputOf = ({ name, description, ephemeral }: Wanted) => ({
  body: { name, ...(description === undefined ? {} : { description }), ephemeral: ephemeral === true },
});

const most = 500;
const present = ({ api }: Context) => gathered(api.admin.listRunners.each({}, { max: most }));

export const runnerAdd = command({
  name: 'runner add',
  title: 'Register a runner',
  summary: 'Register a new runner and get its token, shown only to you',
  examples: ['runner add builder-9'],
  fields: {
    name: text({ label: 'Name', placeholder: 'name' }),
    description: flag(text({ label: 'Description' })),
    ephemeral: toggle({ label: 'Ephemeral', text: 'Runs one job, then goes away' }),
  },
  role: 'admin',
  risk: 'risky',
  confidential: true,
  effect: 'once',
  operations: ['admin.createRunner', 'admin.listRunners'],
  needs: ['admin.createRunner'],
  plan: (args) => [request('admin.createRunner', inputOf(args))],
  async observe({ name }, context) {
    const runners = await ifTold(present(context));
    const same = runners?.filter((runner) => runner.name === name).length ?? 0;
    return {
      bound: { 'runners of that name': same },
      shown: [
        ['Runners now', String(runners?.length ?? 'unknown')],
        ['With this name', String(same)],
      ],
    };
  },
  async run(args, context): Promise<Added> {
    const ids = (await present(context)).map(({ id }) => id);
    // its id is how it is found later
    context.remember(String(Math.max(0, ...ids)));
    const made = await context.api.admin.createRunner(inputOf(args));
    return { id: made.id, made };
  },
  async findDone({ name }, context, { note }): Promise<Added | undefined> {
    const found = (await present(context)).find((runner) => runner.name === name && runner.id > Number(note ?? 'NaN'));
    return found && { id: found.id };
  },
  reply: ({ id, made }, { name }) =>
    message({
      text: 'The token of a new runner.',
      blocks: made
        ? secretCard(md`Registered runner ${bold(name)}. Its UUID is ${code(made.uuid)}; its token is:`, made.token, [
            'anyone who has it can run as this runner',
          ])
        : doneCard({
            says: md`Registered runner ${bold(name)}.`,
            but: [
              md`Its token was lost on the way. Run ${code(`/forge runner remove ${id}`)}, then register it again.`,
            ],
          }),
    }),
});
