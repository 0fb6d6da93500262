import type { Button, EntityActionButton, EntityCustomField, EntityMetadata, KnownBlock } from '@slack/types';
import { clip, oneLine, webUrl } from './text.js';
import { day } from './when.js';

/** A forge item as a Slack Work Object; everything in it is plain text. */
export interface EntityFacts {
  readonly ref: { readonly id: string; readonly type: string };
  readonly url: string;
  /** The address exactly as posted. */
  readonly posted?: string | undefined;
  readonly product: string;
  readonly kind: string;
  readonly name: string;
  readonly title: string;
  readonly status: string;
  readonly author?: string | undefined;
  readonly assignees?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly created?: Date | undefined;
  readonly updated?: Date | undefined;
  readonly due?: Date | undefined;
  readonly more: readonly (readonly [key: string, label: string, value: string | undefined])[];
  readonly buttons: readonly Button[];
}

const longestLine = 150;
const longestText = 2_000;
const mostPrimary = 2;
const mostMore = 5;

const line = (text: string) => clip(oneLine(text), longestLine);
const seconds = (date: Date) => Math.floor(date.getTime() / 1_000);
const user = (login: string) => ({ type: 'slack#/types/user', user: { text: line(login) } });

/** The buttons of a card, as this server allows them. */
export const buttonsIn = (blocks: readonly KnownBlock[]): Button[] =>
  blocks.flatMap((block) =>
    block.type === 'actions' ? block.elements.filter((element): element is Button => element.type === 'button') : [],
  );

function action({ text, action_id, value, style, url }: Button): EntityActionButton {
  return {
    text: text.text,
    action_id: action_id ?? '',
    ...(value !== undefined && { value }),
    ...(style !== undefined && { style }),
    ...(url !== undefined && { url }),
  };
}

const custom = (more: EntityFacts['more']): EntityCustomField[] =>
  more.flatMap(([key, label, value]) =>
    value === undefined || value === '' ? [] : [{ key, label, type: 'string', value: line(value) }],
  );

export function entity(facts: EntityFacts): EntityMetadata {
  const { author, assignees = [], description, created, updated, buttons } = facts;
  const due = day(facts.due);
  const primary = buttons.slice(0, mostPrimary).map(action);
  const overflow = buttons.slice(mostPrimary, mostPrimary + mostMore).map(action);
  return {
    entity_type: 'slack#/entities/task',
    external_ref: facts.ref,
    url: webUrl(facts.url) ?? facts.url,
    ...(facts.posted !== undefined && { app_unfurl_url: facts.posted }),
    entity_payload: {
      attributes: {
        title: { text: line(facts.title) || line(facts.name) },
        display_type: facts.kind,
        display_id: line(facts.name),
        product_name: facts.product,
        ...(updated && { metadata_last_modified: seconds(updated) }),
      },
      fields: {
        status: { value: line(facts.status) },
        ...(author !== undefined && { created_by: user(author) }),
        ...(assignees[0] !== undefined && { assignee: user(assignees.join(', ')) }),
        ...(created && { date_created: { value: seconds(created) } }),
        ...(updated && { date_updated: { value: seconds(updated) } }),
        ...(due && { due_date: { type: 'slack#/types/date', value: due } }),
        ...(description && { description: { value: clip(description, longestText), long: true } }),
      },
      custom_fields: custom(facts.more),
      actions: {
        ...(primary.length > 0 && { primary_actions: primary }),
        ...(overflow.length > 0 && { overflow_actions: overflow }),
      },
    },
  };
}
