import type { PolicyFile } from '../../config.js';
import type { Person, Rank } from '../../store/index.js';
import type { Message } from '../../view/message.js';
import type { CommandList } from '../catalogue.js';
import type { Entry, Runtime } from '../runtime.js';
import type { Services } from '../session.js';

/** A lasting message: posted under its key once, updated afterwards. It goes through the channel's outbox. */
export interface Notice {
  readonly key: string;
  readonly channel: string;
  readonly message: Message;
  /** Tells two states of one card apart. */
  readonly version: string;
  /** A reply in the thread of this card, in place of a card of its own. */
  readonly under?: string;
}

/** A direct message that waits while Slack is away. What is told under one id is told once, and only a better answer replaces it. */
export interface Tells {
  tell(person: Person, message: Message, id?: string, rank?: Rank): Promise<void>;
}

/** What asking, deciding and running an approval need. */
export interface ApprovalDeps {
  readonly services: Services;
  readonly catalogue: CommandList;
  readonly policies: PolicyFile['approvals'];
  readonly answers: Tells;
  post(notice: Notice): Promise<void>;
  record(entry: Entry): Promise<void>;
  readonly exposed: Runtime['exposed'];
}
