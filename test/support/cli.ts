import { execFile } from 'node:child_process';
import { vi } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { program } from './program.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Settings = Readonly<Record<string, string>>;

/** Runs a subcommand in this process. */
export const runHere = (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  print: (text: string) => void = () => {},
): Promise<number> => runProgram(args, { env, print, version: '0.0.0' });

/** Runs a subcommand in this process with only these settings, and hears what it prints; it rejects where the program explains. */
export async function cliHere(settings: Settings, ...args: readonly string[]): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  const hear = (stream: keyof typeof said, end: string) => (text: unknown) => {
    said[stream] += `${text}${end}`;
    return true;
  };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(hear('stdout', '\n')),
    vi.spyOn(console, 'error').mockImplementation(hear('stderr', '\n')),
    vi.spyOn(process.stdout, 'write').mockImplementation(hear('stdout', '')),
    vi.spyOn(process.stderr, 'write').mockImplementation(hear('stderr', '')),
  ];
  const ours = process.env;
  process.env = onlyThese(settings);
  try {
    const code = await runHere(args);
    return { code, ...said };
  } finally {
    process.env = ours;
    for (const spy of spies) spy.mockRestore();
  }
}

const onlyThese = (settings: Settings) => ({ PATH: process.env['PATH'] ?? '', ...settings });

/** Runs a subcommand without any settings of the person running the tests. */
export const cli = (...args: readonly string[]): Promise<Ran> => cliWith({}, ...args);

/** The same with these settings. */
export const cliWith = (settings: Settings, ...args: readonly string[]): Promise<Ran> => cliIn('.', settings, ...args);

/** The same in this folder, whose bellows.yaml counts. */
export function cliIn(cwd: string, settings: Settings, ...args: readonly string[]): Promise<Ran> {
  const env = onlyThese(settings);
  return new Promise((resolve) => {
    execFile(process.execPath, [...program(), ...args], { env, cwd }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}
