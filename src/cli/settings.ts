import { commands } from '../commands/index.js';
import { type Config, readConfig } from '../config.js';

type Env = Readonly<Record<string, string | undefined>>;

/** @internal Tests check the policy file against them too. */
export const knownCommands = commands.map(({ name, branches, policy }) => ({
  name,
  branch: branches !== undefined,
  separate: policy !== undefined,
}));

/** The settings, with the commands named in bellows.yaml checked against those that exist. */
export const readSettings = (env: Env): Config => readConfig(env, knownCommands);
