import { UserError } from '../errors.js';
import type { Message } from '../view/message.js';
import { readable } from '../view/text.js';
import type { RepositoryRef } from './references.js';

/** A refusal that needs more than a sentence: links, buttons. */
export class MessageError extends UserError {
  readonly shown: Message;

  constructor(shown: Message, cause?: unknown) {
    super(readable(shown.text), { cause });
    this.shown = shown;
  }
}

/** Only the person knows which one is meant. */
export class SeveralRepositories extends UserError {
  readonly among: readonly RepositoryRef[];

  constructor(name: string, among: readonly RepositoryRef[]) {
    const names = among.map(({ owner, repo }) => `${owner}/${repo}`).join(', ');
    super(`Which ${name} do you mean? You can see ${names}.`);
    this.among = among;
  }
}
