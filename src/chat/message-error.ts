import { UserError } from '../errors.js';
import type { Message } from '../view/message.js';
import { readable } from '../view/text.js';

/** A refusal that needs more than a sentence: links, buttons. */
export class MessageError extends UserError {
  readonly shown: Message;

  constructor(shown: Message, cause?: unknown) {
    super(readable(shown.text), { cause });
    this.shown = shown;
  }
}
