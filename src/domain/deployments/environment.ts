import { z } from 'zod';
import type { Context } from '../../chat/context.js';
import { type Needed, plainField } from '../../chat/fields/make.js';
import { type RepositoryRef, readRepository } from '../../chat/references.js';
import type { Deployment } from '../../config.js';
import { UserError } from '../../errors.js';
import { unlessUnseen } from '../../forge/possible.js';

const named = /^[a-z0-9][a-z0-9-]{0,30}$/;

/** A name under `deployments` in bellows.yaml. */
export function environment(): Needed<string> {
  return plainField(
    {},
    {
      label: 'Environment',
      placeholder: 'environment',
      input: { kind: 'text', max: 31 },
      schema: z.string().regex(named),
      read: (text) => {
        const name = text.trim().toLowerCase();
        if (named.test(name)) return name;
        throw new UserError(`“${text.slice(0, 40)}” is not an environment. Write its name, such as production.`);
      },
      show: (name) => name,
    },
  );
}

export interface Configured {
  readonly name: string;
  readonly deployment: Deployment;
  readonly at: RepositoryRef;
}

type Deployments = Pick<Context, 'deployments'>;

function configured(name: string, { deployments }: Deployments): Configured | undefined {
  // a name such as constructor is not an environment
  const deployment = Object.hasOwn(deployments, name) ? deployments[name] : undefined;
  const at = deployment && readRepository(deployment.repository, '');
  return deployment && at && { name, deployment, at };
}

export function configuredAs(name: string, context: Deployments): Configured {
  const found = configured(name, context);
  if (found) return found;
  const names = Object.keys(context.deployments);
  if (names.length === 0) throw new UserError('No deployments are set up. An admin adds them to bellows.yaml.');
  throw new UserError(`There is no environment ${name}. Choose one of: ${names.slice(0, 20).join(', ')}.`);
}

/** Those whose repository this person can see, or the named one. */
export async function visible(name: string | undefined, context: Context): Promise<readonly Configured[]> {
  const wanted = name === undefined ? Object.keys(context.deployments) : [name];
  const all = wanted.map((each) => configuredAs(each, context));
  const seen = await Promise.all(all.map(async (each) => ((await isSeen(each.at, context)) ? [each] : [])));
  const found = seen.flat();
  if (found.length > 0) return found;
  if (name !== undefined) throw new UserError(`You can’t see the repository of ${name} on the forge.`);
  if (all.length === 0) throw new UserError('No deployments are set up. An admin adds them to bellows.yaml.');
  throw new UserError('You can’t see any repository that is deployed from here.');
}

async function isSeen(at: RepositoryRef, { api }: Context): Promise<boolean> {
  return (await unlessUnseen(api.repos.get(at))) !== undefined;
}
