import type { ModalView } from '@slack/types';
import { type Blocks, context, plainText, section } from './blocks.js';
import { limits } from './limits.js';
import { whatFits } from './message.js';
import { coded, type Mrkdwn, md } from './text.js';

export interface ModalOptions {
  readonly title: string;
  readonly submit?: string | undefined;
  readonly close?: string | undefined;
  readonly blocks: Blocks;
  readonly callbackId?: string | undefined;
  readonly privateMetadata?: string | undefined;
}

export function modal(options: ModalOptions): ModalView {
  const { privateMetadata = '', callbackId = '' } = options;
  if (privateMetadata.length > limits.view.privateMetadata)
    throw new RangeError(`a form remembers ${limits.view.privateMetadata} characters, not ${privateMetadata.length}`);
  if (callbackId.length > limits.view.callbackId) throw new RangeError('the callback id of a form is too long');
  const blocks = whatFits(options.blocks, limits.view.blocks, limits.view.bytes / 5);
  const asks = blocks.some((block) => block.type === 'input');
  const submit = options.submit || (asks ? 'Save' : undefined);
  return {
    type: 'modal',
    title: plainText(options.title, limits.view.title),
    close: plainText(options.close ?? (submit ? 'Cancel' : 'Close'), limits.view.close),
    blocks,
    ...(submit && { submit: plainText(submit, limits.view.submit) }),
    ...(callbackId && { callback_id: callbackId }),
    ...(privateMetadata && { private_metadata: privateMetadata }),
  };
}

type Frame = Pick<ModalOptions, 'title' | 'callbackId' | 'privateMetadata'>;

/** Opened within a trigger's three seconds; replaced when the forge has answered. */
export function loadingModal(options: Frame & { readonly text?: Mrkdwn }): ModalView {
  return modal({ ...options, blocks: [section(options.text ?? md`⏳ Asking the forge…`)] });
}

/** What went wrong, and what to do next. */
export function errorModal(options: Frame & { readonly text: string; readonly next?: string | undefined }): ModalView {
  const next = options.next === undefined ? undefined : context([options.next]);
  return modal({ ...options, blocks: [section(md`⚠️ ${coded(options.text)}`), next] });
}

export function resultModal(options: Frame & { readonly blocks: Blocks }): ModalView {
  return modal(options);
}
