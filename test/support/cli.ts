import { execFile } from 'node:child_process';
import { runProgram } from '../../src/cli/program.js';
import { program } from './program.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a subcommand in this process. */
export const runHere = (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  print: (text: string) => void = () => {},
): Promise<number> => runProgram(args, { env, print, version: '0.0.0' });

/** Runs a subcommand without any settings of the person running the tests. */
export const cli = (...args: readonly string[]): Promise<Ran> => cliWith({}, ...args);

type Settings = Readonly<Record<string, string>>;

/** The same with these settings. */
export const cliWith = (settings: Settings, ...args: readonly string[]): Promise<Ran> => cliIn('.', settings, ...args);

/** The same in this folder, whose bellows.yaml counts. */
export function cliIn(cwd: string, settings: Settings, ...args: readonly string[]): Promise<Ran> {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [...program(), ...args], { env, cwd }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}
