import type { Args } from './args.js';
import type { Core } from './core.js';
import { asObjects, type Json, type Obj } from './json.js';
import { liveMentions } from './mentions.js';
import { sizes } from './rules/limits.js';
import { messageIssues } from './rules/surface.js';
import { countedLength } from './rules/text-length.js';
import { SlackError, withIssues } from './slack-error.js';

export interface Content {
  text: string;
  blocks: Obj[] | undefined;
  attachments: Obj[] | undefined;
  metadata: Obj | undefined;
}

/** A refusal for size, also recorded, because nobody may wait for it. */
export function tooLarge(core: Core, where: string, error: string): SlackError {
  core.failures.note('too_large', `${where}: ${error}`);
  return new SlackError(error);
}

/** Slack adds up everything one message shows, including attachments and unfurls. */
export function checkTotal(core: Core, where: string, ...shown: (Json | undefined)[]): void {
  const total = shown.reduce<number>((sum, blocks) => sum + countedLength(blocks), 0);
  if (total > sizes.allBlocksText) throw tooLarge(core, where, 'msg_blocks_too_long');
}

export function checkBlocks(blocks: Json, where: string, core: Core, pointer?: string): Obj[] {
  if (!Array.isArray(blocks)) throw new SlackError('invalid_blocks_format');
  const issues = messageIssues(blocks, pointer);
  if (issues.length > 0) {
    const error = withIssues('invalid_blocks', issues);
    core.failures.note('invalid_blocks', `${where}: ${JSON.stringify(error.extra['response_metadata'])}`);
    throw error;
  }
  return asObjects(blocks);
}

function checkAttachments(list: Json | undefined, where: string, core: Core): Obj[] | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw new SlackError('invalid_attachments');
  if (list.length > sizes.attachments) throw new SlackError('too_many_attachments');
  const attachments = asObjects(list);
  for (const [index, each] of attachments.entries()) {
    if (each['blocks'] !== undefined) checkBlocks(each['blocks'], where, core, `/attachments/${index}/blocks`);
  }
  return attachments;
}

function checkMetadata(args: Args, where: string, core: Core): Obj | undefined {
  const metadata = args.object('metadata', 'invalid_metadata_format');
  if (metadata === undefined) return undefined;
  if (typeof metadata['event_type'] !== 'string' || typeof metadata['event_payload'] !== 'object') {
    throw new SlackError('invalid_metadata_format');
  }
  if (Buffer.byteLength(JSON.stringify(metadata)) > sizes.metadataBytes) {
    throw tooLarge(core, where, 'metadata_too_large');
  }
  return metadata;
}

/** Records every live mention that is not allowed; Slack itself would show it. */
export function noteMentions(core: Core, where: string, written: Parameters<typeof liveMentions>[0]): void {
  for (const mention of liveMentions(written)) {
    if (!core.app.allowMention(mention)) {
      core.failures.note('mention', `${where}: live ${mention.kind} ${mention.id} at ${mention.at}`);
    }
  }
}

/** The checks for every message, whichever way it came. */
export function readContent(core: Core, args: Args, where: string): Content {
  const markdown = args.text('markdown_text');
  if (markdown !== undefined && (args.has('text') || args.has('blocks')))
    throw new SlackError('markdown_text_conflict');
  if ((markdown?.length ?? 0) > sizes.markdownText) throw tooLarge(core, where, 'msg_too_long');
  const rawBlocks = args.json('blocks', 'invalid_blocks_format');
  const blocks = rawBlocks === undefined || rawBlocks === null ? undefined : checkBlocks(rawBlocks, where, core);
  const attachments = checkAttachments(args.json('attachments', 'invalid_attachments'), where, core);
  checkTotal(core, where, blocks, ...(attachments ?? []).map((each) => each['blocks']));
  const text = (markdown ?? args.text('text') ?? '').slice(0, sizes.messageText);
  const metadata = checkMetadata(args, where, core);
  if ((blocks?.length ?? 0) > 0 && text === '') core.failures.note('no_fallback', `${where}: blocks without text`);
  if (args.flag('link_names') || args.text('parse') === 'full') {
    core.failures.note('mention', `${where}: link_names or parse=full makes plain names live`);
  }
  noteMentions(core, where, { text, blocks, attachments });
  return { text, blocks, attachments, metadata };
}

const hasRichText = (blocks: readonly Obj[]): boolean => blocks.some((block) => block['type'] === 'rich_text');

/** Blocks with rich text can only be replaced by blocks with rich text. */
export function checkMatch(before: readonly Obj[], after: readonly Obj[] | undefined): void {
  if (after !== undefined && hasRichText(before) && !hasRichText(after)) throw new SlackError('block_mismatch');
}

export const isBlank = (content: Content): boolean =>
  content.text === '' && (content.blocks?.length ?? 0) === 0 && (content.attachments?.length ?? 0) === 0;
