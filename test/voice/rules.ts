/** The mechanical rules of how Bellows speaks. Everything a person reads is checked against them. */
export const rules = {
  /** Characters of a message's first line; Slack shows about this many in one line of a wide window. */
  firstLine: 150,
  /** Characters of a command's summary. */
  summary: 80,
  /** In one row; less common actions go into one menu. */
  buttons: 3,
  menus: 1,
  rows: 10,
  /** A submit button says what happens. */
  submitNever: ['Send', 'Submit', 'Edit', 'OK', 'Go'],
  /** Words that keep their capital letters. */
  names: [
    'Actions',
    'Bellows',
    'CI',
    'Forgejo',
    'GitHub',
    'Gitea',
    'Home',
    'I',
    'OAuth',
    'PR',
    'Redis',
    'SSH',
    'Slack',
    'URL',
  ],
} as const;

export interface Phrase {
  readonly rule: string;
  readonly never: RegExp;
  readonly say: string;
}

/** Comments included. */
export const spelling: Phrase = {
  rule: 'spelling',
  never:
    /\b(cancell(ed|ing)|colours?|organisations?|behaviours?|licences?|labelled|neighbours?|favourites?|(recogn|author|unauthor|summar|normal)ise\w*|grey|catalogues?|flavours?)\b/i,
  say: 'US spelling',
};

/** Nowhere: not in Slack, not on the command line, not in the docs. */
export const phrases: readonly Phrase[] = [
  spelling,
  {
    rule: 'one name for each thing',
    never: /\b(credentials?|e-mails?|cron tasks?|rehears\w*|mend(s|ed|ing)?)\b/i,
    say: 'token, email, scheduled task, dry run, fixed',
  },
  {
    rule: 'vague',
    never: /\b(something (moved|happened|went wrong)|that did not work|no such thing|nothing to change)\b/i,
    say: 'who did what, and why it failed',
  },
  { rule: 'nobody by name', never: /\b(whoever|somebody)\b/i, say: 'an admin, the owner, someone' },
  {
    rule: 'no longer',
    never: /\b(is|counts?) no more\b|\bany ?more\b|\b(is|are) gone\b/i,
    say: 'no longer, was deleted',
  },
  {
    rule: 'is no',
    never: /\bis (nobody|no (issue|run|pull|project|number|repository|date|person|time))\b/i,
    say: 'is not a …',
  },
  { rule: 'look-alike quotes', never: /ˋ/, say: 'backticks' },
];

/** Only in Slack, where nobody knows them. */
export const internal: readonly Phrase[] = [
  { rule: 'internal words', never: /\b(outbox|lane|sweep|swept|fan-?out|sealed)\b/i, say: 'the effect for the person' },
  { rule: 'run number', never: /\bruns? (\S+\/\S+)?#\d/i, say: 'run 12' },
  { rule: 'no duration', never: /(^|[^\d.,:])0 s\b/, say: 'no durations under a second' },
  {
    rule: 'plural of one',
    never:
      /(^|\s)\*?1\*? (runs|issues|pull requests|commits|comments|repositories|people|jobs|runners|reminders|subscriptions|notifications|files|checks|approvals|reviews)\b/i,
    say: 'singular',
  },
  { rule: 'missing space', never: /<(https?:|@|#)[^>]*>[A-Za-z]|[A-Za-z]<(https?:|@|#)/, say: 'a space beside a link' },
  {
    rule: 'operation names',
    never:
      /\b(admin|activity|issues|keys|notifications|orgs|packages|projects|pulls|repos|runs|server|users)\.[a-z]+[A-Z]\w+/,
    say: 'no names of operations',
  },
];

/** Only in forms: nothing to decode. */
export const inForms: readonly Phrase[] = [
  { rule: 'grammar', never: /\b\w+\|\w+\|\w+/, say: 'words, not a grammar' },
  { rule: 'flags', never: /(^|\s)--[a-z]/, say: 'no flags' },
];
