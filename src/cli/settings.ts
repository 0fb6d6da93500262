import { commands } from '../commands/index.js';
import { type Config, readConfig } from '../config.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The settings, with the commands named in bellows.yaml checked against those that exist. */
export const readSettings = (env: Env): Config =>
  readConfig(
    env,
    commands.map(({ name, branches }) => ({ name, branch: branches !== undefined })),
  );
