import type { SignIn } from '../../src/chat/sign-in.js';
import { serve } from '../../src/http/server.js';
import { mountSignIn } from '../../src/http/sign-in.js';
import type { Log } from '../../src/log.js';

export interface SignInDoor {
  readonly address: string;
  open(signIn: SignIn | undefined): void;
  stop(): Promise<void>;
}

/** Bellows' own address for browsers: it must be known before Bellows can start. */
export async function openSignInDoor(log: Log): Promise<SignInDoor> {
  let ready: SignIn | undefined;
  const now = (): SignIn => {
    if (!ready) throw new Error('Bellows has not started yet');
    return ready;
  };
  const signIn: SignIn = {
    knows: (ticket) => now().knows(ticket),
    begin: (ticket) => now().begin(ticket),
    finish: (callback) => now().finish(callback),
  };
  const host = '127.0.0.1';
  const http = await serve({
    host,
    port: 0,
    log,
    routes: (app) => mountSignIn(app, { signIn, publicUrl: `http://${host}`, log }),
  });
  return {
    address: http.address,
    open: (given) => {
      ready = given;
    },
    stop: http.stop,
  };
}
