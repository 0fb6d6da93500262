// The messages between the page and the sandbox; used by both sides, so nothing here needs Node or a browser.

export interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly about: string;
}

export interface ChannelRow {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im' | 'mpim';
  readonly about: string;
}

export interface ShortcutRow {
  readonly id: string;
  readonly name: string;
  readonly type: 'global' | 'message';
}

export interface Team {
  readonly name: string;
  readonly me: string;
  readonly bot: string;
  readonly people: readonly PersonRow[];
  readonly channels: readonly ChannelRow[];
  /** `/forge` */
  readonly slash: string;
  readonly shortcuts: readonly ShortcutRow[];
  /** This person's token for the sandbox forge, valid nowhere else. */
  readonly token: string;
  readonly redis: string;
}

export interface ShownMessage {
  readonly ts: string;
  readonly user: string;
  readonly byBot: boolean;
  readonly text: string;
  readonly blocks: readonly object[];
  readonly thread?: string;
  readonly broadcast: boolean;
  readonly edited: boolean;
  readonly onlyYou: boolean;
  readonly unfurls: readonly { readonly url: string; readonly blocks: readonly object[] }[];
}

export interface ChannelMessages {
  readonly id: string;
  readonly messages: readonly ShownMessage[];
}

export interface ShownView {
  readonly id: string;
  readonly title: string;
  readonly submit?: string;
  readonly close?: string;
  readonly blocks: readonly object[];
  /** Block id, action id, value object as Slack keeps it. */
  readonly values: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly errors: Readonly<Record<string, string>>;
}

export interface TourStep {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Who to be, where to go and what to type, offered as one button each. */
  readonly offers: readonly TourOffer[];
  readonly done: boolean;
}

export interface TourOffer {
  readonly label: string;
  readonly as: string;
  readonly channel: string;
  /** Put into the composer, not sent. */
  readonly type?: string;
  /** Shows the panel that triggers activity. */
  readonly panel?: 'forge';
}

export interface ForgeState {
  readonly repos: readonly string[];
  readonly people: readonly string[];
  /** Newest first. */
  readonly happened: readonly { readonly at: number; readonly said: string; readonly url: string }[];
}

/** One part of what a person sees; sent whole whenever it changed. */
export type Piece =
  | { readonly piece: 'team'; readonly value: Team }
  | { readonly piece: 'channel'; readonly value: ChannelMessages }
  | { readonly piece: 'form'; readonly value: ShownView | null }
  | { readonly piece: 'home'; readonly value: ShownView | null }
  | { readonly piece: 'tour'; readonly value: readonly TourStep[] }
  | { readonly piece: 'forge'; readonly value: ForgeState };

/** Text, options as offered, several of either, or nothing. */
export type Fill = string | number | null | object | readonly (string | object)[];

export type Place =
  | { readonly in: 'message'; readonly channel: string; readonly ts: string; readonly unfurl?: string | undefined }
  | { readonly in: 'form' }
  | { readonly in: 'home' };

export interface Control {
  readonly block: string;
  readonly action: string;
}

/** What a person does on the page. */
export type Act =
  | { readonly kind: 'say'; readonly channel: string; readonly text: string; readonly thread?: string | undefined }
  | { readonly kind: 'command'; readonly channel: string; readonly text: string }
  | { readonly kind: 'press'; readonly place: Place; readonly control: Control }
  | { readonly kind: 'choose'; readonly place: Place; readonly control: Control; readonly value: Fill }
  | { readonly kind: 'suggest'; readonly place: Place; readonly control: Control; readonly query: string }
  | { readonly kind: 'fill'; readonly values: Readonly<Record<string, Fill>> }
  | { readonly kind: 'submit'; readonly values: Readonly<Record<string, Fill>> }
  | { readonly kind: 'close' }
  | { readonly kind: 'home' }
  | {
      readonly kind: 'shortcut';
      readonly id: string;
      readonly message?: { readonly channel: string; readonly ts: string } | undefined;
    };

export interface ActResult {
  readonly ok: boolean;
  /** A sentence for the person. */
  readonly error?: string;
  readonly options?: readonly object[];
}

export const verbs = ['issue', 'comment', 'push', 'pull', 'review', 'fail', 'pass', 'stick', 'merge'] as const;
export type Verb = (typeof verbs)[number];

/** Activity on the forge. */
export interface Happening {
  readonly verb: Verb;
  readonly as: string;
  readonly repo: string;
  readonly title?: string | undefined;
}
