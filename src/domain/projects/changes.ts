import { choice } from '../../chat/fields/index.js';
import { UserError } from '../../errors.js';
import type { Project } from '../../forge/schemas/project.js';

const cardTypes = ['text_only', 'images_and_text'] as const;

export const cards = () => choice(cardTypes, { label: 'Cards show' });

export interface Changes {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly cards?: (typeof cardTypes)[number] | undefined;
  readonly state?: 'open' | 'closed' | undefined;
}

export const bodyOf = ({ title, description, cards, state }: Changes) => ({
  title,
  description,
  card_type: cards,
  state,
});

export function refuseEmpty(changes: Changes): void {
  const { title, description, cards, state } = changes;
  if ([title, description, cards, state].some((value) => value !== undefined)) return;
  throw new UserError('What should change? Use --title, --description or --cards.', { field: 'title' });
}

/** The form's initial values. */
export function presentOf({ title, description, card_type }: Project) {
  const shown = cardTypes.find((type) => type === card_type);
  return { title, ...(description === '' ? {} : { description }), ...(shown && { cards: shown }) };
}
