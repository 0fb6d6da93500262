#!/usr/bin/env -S node --max-semi-space-size=1
import { createRequire } from 'node:module';
import { runProgram } from './cli/program.js';
import { ConfigError, UserError } from './errors.js';

const { version } = createRequire(import.meta.url)('../package.json');

async function main(args: readonly string[]): Promise<number> {
  try {
    return await runProgram(args, { env: process.env, print: console.log, version });
  } catch (error) {
    console.error(trouble(error));
    // Anything already started must not keep the process alive.
    process.exit(error instanceof ConfigError ? error.exitCode : 1);
  }
}

/** One line; the stack only when details are requested. */
function trouble(error: unknown): string {
  if (error instanceof ConfigError)
    return ['Fix these settings:', ...error.problems.map((each) => `  ${each}`)].join('\n');
  if (!(error instanceof Error)) return `bellows: ${String(error)}`;
  if (error instanceof UserError) return `bellows: ${error.message}`;
  const details = ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '');
  return `bellows: ${details ? error.stack : error.message.split('\n', 1)[0]}`;
}

// Whatever reads our output may close early, as head does.
process.stdout.on('error', (error: Error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await main(process.argv.slice(2));
