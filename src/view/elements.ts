import type { Button, ConfirmationDialog, Overflow, PlainTextOption } from '@slack/types';
import { actionId, encodeValue } from './action.js';
import { mrkdwn, plainText } from './blocks.js';
import { limits } from './limits.js';
import { type Mrkdwn, md, webUrl } from './text.js';

export interface ConfirmOptions {
  readonly title: string;
  readonly text: Mrkdwn | string;
  readonly confirm?: string;
  readonly deny?: string;
  readonly danger?: boolean;
}

function confirm(options: ConfirmOptions): ConfirmationDialog {
  const text = typeof options.text === 'string' ? md`${options.text}` : options.text;
  return {
    title: plainText(options.title, limits.confirm.title),
    text: mrkdwn(text, limits.confirm.text),
    confirm: plainText(options.confirm ?? 'Yes', limits.confirm.button),
    deny: plainText(options.deny ?? 'No', limits.confirm.button),
    ...(options.danger && { style: 'danger' as const }),
  };
}

export interface ButtonOptions {
  readonly text: string;
  readonly action: string;
  /** Any JSON; read back with `readValue`. */
  readonly value?: unknown;
  readonly style?: 'primary' | 'danger' | undefined;
  readonly confirm?: ConfirmOptions | undefined;
}

export function button(options: ButtonOptions): Button {
  return {
    type: 'button',
    text: plainText(options.text, limits.button.text),
    action_id: actionId(options.action),
    ...(options.value !== undefined && { value: encodeValue(options.value) }),
    ...(options.style && { style: options.style }),
    ...(options.confirm && { confirm: confirm(options.confirm) }),
  };
}

export const linkAction = 'link';

/** Opens a page; undefined if the address is invalid. */
export function linkButton(text: string, url: string | null | undefined, style?: 'primary'): Button | undefined {
  const href = url ? webUrl(url) : undefined;
  if (href === undefined) return undefined;
  const drawn = {
    type: 'button',
    text: plainText(text, limits.button.text),
    action_id: linkAction,
    url: href,
  } as const;
  return style ? { ...drawn, style } : drawn;
}

/** Used if the server's name is unknown; answers to a person use its name. */
export const openText = 'Open on the forge';

/** Opens the item's own page. */
export const openButton = (url: string | null | undefined): Button | undefined => linkButton(openText, url);

export interface MenuChoice {
  readonly text: string;
  /** Short JSON: an option holds far less than a button. */
  readonly value: unknown;
  readonly url?: string;
}

/** Slack refuses a menu with an oversized option: that option is left out, the rest stays. */
export function overflow(action: string, choices: readonly (MenuChoice | undefined)[]): Overflow | undefined {
  const options = choices
    .filter((choice) => choice !== undefined)
    .flatMap((choice) => menuOption(choice))
    .slice(0, limits.overflow.most);
  return options.length === 0 ? undefined : { type: 'overflow', action_id: actionId(action), options };
}

function menuOption(choice: MenuChoice): PlainTextOption[] {
  const value = encodeValue(choice.value, Number.POSITIVE_INFINITY);
  if (value.length > limits.option.value) return [];
  const url = choice.url === undefined ? undefined : webUrl(choice.url);
  if (choice.url !== undefined && url === undefined) return [];
  return [{ text: plainText(choice.text, limits.option.text), value, ...(url && { url }) }];
}
