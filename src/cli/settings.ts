import { commands } from '../commands/index.js';
import { type Config, readConfig } from '../config.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The settings with what bellows.yaml says about commands checked against the commands there are. */
export const readSettings = (env: Env): Config =>
  readConfig(
    env,
    commands.map(({ name, branches }) => ({ name, branch: branches !== undefined })),
  );
