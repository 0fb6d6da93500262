import type { Changes } from './changes.js';
import type { Courier } from './delivery/courier.js';
import type { Faults } from './faults.js';
import type { Ids } from './ids.js';
import type { Obj } from './json.js';
import type { Mention } from './mentions.js';
import type { Rate } from './rate.js';
import type { Calls, Failures } from './records.js';
import type { ResponseUrls } from './response-urls.js';
import type { Tokens } from './tokens.js';
import type { Triggers } from './triggers.js';
import type { Workspace } from './workspace.js';

/** The parts of one sandbox. */
export interface Core {
  readonly url: string;
  readonly now: () => number;
  readonly ids: Ids;
  readonly space: Workspace;
  readonly changes: Changes;
  readonly tokens: Tokens;
  readonly triggers: Triggers;
  readonly responseUrls: ResponseUrls;
  readonly faults: Faults;
  readonly rate: Rate;
  readonly calls: Calls;
  readonly failures: Failures;
  readonly courier: Courier;
  readonly app: {
    readonly botToken: string;
    readonly scopes: readonly string[];
    readonly commands: readonly string[] | undefined;
    readonly events: readonly string[] | undefined;
    readonly unfurlDomains: readonly string[];
    readonly oauth: { clientId: string; clientSecret: string };
    /** Whether this app has Work Objects enabled. */
    readonly workObjects: boolean;
    readonly allowMention: (mention: Mention) => boolean;
  };
  /** Links posted by people, waiting to be unfurled. */
  readonly links: Map<string, SharedLinks>;
  readonly oauthCodes: Map<string, boolean>;
  /** What each person's details pane shows. */
  readonly details: Map<string, Obj>;
  readonly socketAddress: () => string;
}

export interface SharedLinks {
  channel: string;
  ts: string;
  user: string;
  urls: string[];
  acked: boolean;
}
