import type { PlainTextOption, View as SlackView } from '@slack/types';
import { z } from 'zod';

/** Only the parts of Slack's payloads that Bellows reads; everything else is dropped here. */
const id = z.string().min(1).max(64);

export const SlashCommand = z.object({
  team_id: id,
  /** Only in an Enterprise Grid. */
  enterprise_id: id.optional(),
  user_id: id,
  channel_id: id,
  command: z.string().max(64),
  // Includes Slack's escapes: what people may type is limited, with an error, where it is read.
  text: z.string().max(300_000).default(''),
  trigger_id: z.string().max(200),
  response_url: z.string().max(500).optional(),
});
export type SlashCommand = z.infer<typeof SlashCommand>;

const user = z.object({ id, team_id: id.optional() });
const team = z.object({ id }).nullish();

const Action = z.object({
  action_id: z.string().max(255),
  block_id: z.string().max(255).optional(),
  value: z.string().max(2_000).optional(),
  action_ts: z.string().max(64).optional(),
  selected_option: z.object({ value: z.string().max(200) }).nullish(),
});

const State = z.object({ values: z.record(z.string(), z.record(z.string(), z.unknown())) });

const View = z.object({
  id,
  type: z.string().max(20).optional(),
  hash: z.string().max(100).optional(),
  callback_id: z.string().max(255).default(''),
  private_metadata: z.string().max(3_000).default(''),
  state: State.optional(),
});
export type View = z.infer<typeof View>;

export const BlockActions = z.object({
  type: z.literal('block_actions'),
  team,
  user,
  channel: z.object({ id }).optional(),
  container: z
    .object({ message_ts: z.string().optional(), thread_ts: z.string().optional(), view_id: z.string().optional() })
    .optional(),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }).optional(),
  view: View.optional(),
  trigger_id: z.string().max(200).optional(),
  response_url: z.string().max(500).optional(),
  actions: z.array(Action).min(1).max(25),
});
export type BlockActions = z.infer<typeof BlockActions>;

export const ViewSubmission = z.object({
  type: z.literal('view_submission'),
  team,
  user,
  view: View,
  trigger_id: z.string().max(200).optional(),
});
export type ViewSubmission = z.infer<typeof ViewSubmission>;

export const BlockSuggestion = z.object({
  type: z.literal('block_suggestion'),
  team,
  user,
  action_id: z.string().max(255),
  block_id: z.string().max(255),
  value: z.string().max(500).default(''),
  view: View.optional(),
});
export type BlockSuggestion = z.infer<typeof BlockSuggestion>;

export const Shortcut = z.object({
  type: z.enum(['shortcut', 'message_action']),
  team,
  user,
  callback_id: z.string().max(255),
  trigger_id: z.string().max(200),
  channel: z.object({ id }).optional(),
  message: z
    .object({
      ts: z.string().max(64),
      thread_ts: z.string().max(64).optional(),
      text: z.string().max(200_000).default(''),
      user: id.optional(),
    })
    .optional(),
  response_url: z.string().max(500).optional(),
});
export type Shortcut = z.infer<typeof Shortcut>;

/** What a person sees at once after submitting a form; everything else comes later. */
export type ViewAck =
  | { readonly kind: 'close' }
  | { readonly kind: 'errors'; readonly errors: Readonly<Record<string, string>> }
  | { readonly kind: 'update'; readonly view: SlackView };

export interface OptionList {
  readonly options: PlainTextOption[];
}
