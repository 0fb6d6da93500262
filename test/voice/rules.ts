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
  /** Good enough for a comment. */
  readonly textsOnly?: true;
}

/** Nowhere: not in Slack, not on the command line, not in the docs. */
export const phrases: readonly Phrase[] = [
  { rule: 'whoever', never: /\bwhoever\b/i, say: 'name the person: an admin, the owner' },
  {
    rule: 'told',
    never: /\b(is|be|been|are|was|were|gets?|stays?) told\b|\btold (from|of|calmly|what|when|which|by)\b/i,
    say: 'notified, posted',
    textsOnly: true,
  },
  { rule: 'mended', never: /\bmend(s|ed|ing)?\b/i, say: 'fixed' },
  { rule: 'asked of', never: /\basked of\b|\bis asked for\b|\bchanges asked\b/i, say: 'requested' },
  { rule: 'heard again', never: /\bheard again\b/i, say: 'unmuted' },
  { rule: 'answers for', never: /\banswers? for\b/i, say: 'owns', textsOnly: true },
  { rule: 'goes on by itself', never: /\b(go|goes|went) on by (itself|themselves)\b/i, say: 'continues' },
  { rule: 'given up', never: /\b(is|was|be|are|were) given up\b/i, say: 'was stopped' },
  { rule: 'in your name', never: /\bin your name\b/i, say: 'with your account' },
  { rule: 'on both sides', never: /\bon both sides\b/i, say: 'linked' },
  { rule: 'in peace', never: /\bin peace\b/i, say: 'pause' },
  { rule: 'meanwhile', never: /\bmeanwhile\b/i, say: 'since then' },
  { rule: 'somebody', never: /\bsomebody\b/i, say: 'someone' },
  { rule: 'something moved', never: /\bsomething (moved|happened|went wrong)\b/i, say: 'who did what' },
  { rule: 'no such thing', never: /\bno such thing\b/i, say: 'name it' },
  { rule: 'no more', never: /\bis no more\b|\bcounts? no more\b|\bany ?more\b/i, say: 'no longer' },
  { rule: 'stays so', never: /\b(stays|is) so\b/i, say: 'If this continues', textsOnly: true },
  {
    rule: 'is no',
    never: /\bis (nobody|no (issue|run|pull|project|number|repository|date|person|time))\b/i,
    say: 'is not a …',
    textsOnly: true,
  },
  { rule: 'takes away', never: /\btakes? (it|them|this) away\b|\btake the \w+ away\b/i, say: 'removes' },
  { rule: 'did not work', never: /\bThat did not work\b/i, say: 'the reason' },
  { rule: 'not accepted', never: /\bNot accepted\b/i, say: 'Could not queue your command', textsOnly: true },
  { rule: 'accepted', never: /\bAccepted:/, say: 'nothing' },
  { rule: 'drawn', never: /\bDrawn (?:\d|<!date|today)/i, say: 'Updated' },
  {
    rule: 'nothing to change',
    never: /\blike that already\b|\bNothing to change\b/i,
    say: 'Already …',
    textsOnly: true,
  },
  { rule: 'fits these filters', never: /\bfits? (these|those|the|this) filters?\b/i, say: 'No matching …' },
  { rule: 'there is no command', never: /\bThere is no command\b/i, say: 'Unknown command' },
  { rule: 'rehearse', never: /\brehears/i, say: 'dry run' },
  { rule: 'cut off', never: /\bcut off\b/i, say: 'interrupted', textsOnly: true },
  {
    rule: 'have it done',
    never: /\bhave (yourself|it|this|them|somebody|someone|this channel) (added|told|done|made)\b/i,
    say: 'ask an admin to …',
  },
  { rule: 'let somebody', never: /\blet (somebody|someone|one issue|an issue)\b/i, say: 'an active verb' },
  { rule: 'by themselves', never: /\bwill not end\b|\bby themselves\b/i, say: 'stuck' },
  { rule: 'waits for', never: /\bwait(s|ed)? for (you|your review|a second|the approval|linking)\b/i, say: 'needs' },
  { rule: 'follows nothing', never: /\bfollows? nothing\b/i, say: 'No subscriptions' },
  { rule: 'is gone', never: /\bis gone\b|\bare gone\b/i, say: 'no longer exists, was deleted', textsOnly: true },
  {
    rule: 'does not answer now',
    never: /\bdoes not (answer|accept) (now|your credential)\b/i,
    say: 'is not responding',
    textsOnly: true,
  },
  { rule: 'e-mail', never: /\be-mails?\b/i, say: 'email' },
  { rule: 'forge says', never: /\bforge says\b/i, say: 'The forge answered', textsOnly: true },
  { rule: 'credential', never: /\bcredentials?\b/i, say: 'token', textsOnly: true },
  { rule: 'cron task', never: /\bcron tasks?\b/i, say: 'scheduled task' },
  { rule: 'look-alike quotes', never: /ˋ/, say: 'backticks' },
  {
    rule: 'spelling',
    never:
      /\b(cancell(ed|ing)|colou?rs?(?<=our|ours)|organisations?|behaviours?|licen[c]es?(?<=ce|ces)|labelled|neighbours?|favou?rites?(?<=our\w*)|recogni[s]e\w*|authori[s]e\w*|unauthori[s]ed|summari[s]e\w*|normali[s]e\w*|grey|catalogues?|flavou?rs?(?<=our\w*))\b/i,
    say: 'US spelling',
  },
];

/** Names that say nothing to a newcomer. */
export const retiredNames =
  /^(house|hall|workshop|desk|ward|namesake|theirs|looking|glance|mended|rehears\w*)$|House|Workshop|Namesake|Theirs|Glance/;

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
