import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export interface Child<Ready> {
  readonly ready: Ready;
  ask<Answer>(question: object): Promise<Answer>;
  kill(): void;
}

/** A benchmark process that reports once when it is ready, then answers each question once. */
export async function startChild<Ready>(file: URL, env: Readonly<Record<string, string>> = {}): Promise<Child<Ready>> {
  const child: ChildProcess = fork(file, { env: { ...process.env, ...env }, execArgv: ['--import', 'tsx'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${file.pathname} ended`)));
  ended.catch(() => {});
  // the two ends are written for each other
  const said = async <T>() => ((await Promise.race([once(child, 'message'), ended])) as [T])[0];
  return {
    ready: await said<Ready>(),
    async ask<Answer>(question: object) {
      const answer = said<Answer>();
      child.send(question);
      return answer;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
