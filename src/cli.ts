#!/usr/bin/env -S node --max-semi-space-size=1
import { createRequire } from 'node:module';
import { helpOf, usage, words } from './cli/words.js';
import { ConfigError, UserError } from './errors.js';

async function main([word = 'help', ...args]: readonly string[]): Promise<number> {
  if (word === '--version' || word === '-v') {
    console.log(createRequire(import.meta.url)('../package.json').version);
    return 0;
  }
  const known = Object.hasOwn(words, word) ? words[word] : undefined;
  if (!known) {
    const asked = ['help', '--help', '-h'].includes(word);
    console[asked ? 'log' : 'error'](asked ? usage() : `Unknown command ${word}.\n\n${usage()}`);
    return asked ? 0 : 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    console.log(helpOf(word, known));
    return 0;
  }
  try {
    return await (await known.load()).run(args);
  } catch (error) {
    console.error(isMistyped(error) ? `${error.message}\n\n${helpOf(word, known)}` : trouble(error));
    // Anything already started must not keep the process alive.
    process.exit(isMistyped(error) ? 2 : error instanceof ConfigError ? error.exitCode : 1);
  }
}

const isMistyped = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');

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
