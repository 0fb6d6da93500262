import { UserError } from '../errors.js';
import type { Message } from '../view/message.js';

/** A refusal that needs more than a sentence: links, buttons. */
export class Told extends UserError {
  readonly shown: Message;

  constructor(shown: Message, cause?: unknown) {
    super(shown.text, { cause });
    this.shown = shown;
  }
}
