import type { ActionsBlockElement, InputBlock, PlainTextOption, SectionBlockAccessory } from '@slack/types';
import type { Fill } from '../wire.js';

type All = ActionsBlockElement | InputBlock['element'] | SectionBlockAccessory;

/** Everything with a value: all but buttons, menus and pictures. */
export type ValueElement = Exclude<All, { type: 'button' | 'overflow' | 'image' | 'workflow_button' }>;

export const keepsValue = (element: All): element is ValueElement =>
  element.type !== 'button' &&
  element.type !== 'overflow' &&
  element.type !== 'image' &&
  element.type !== 'workflow_button';

const isFill = (value: unknown): value is Fill =>
  value === null || ['string', 'number', 'object'].includes(typeof value);

const kept = /^(value|selected_.*)$/;

/** A control's value, from the value object Slack keeps: `{ type, selected_option: … }`. */
export function keptValue(state: object | undefined): Fill | undefined {
  const entry = Object.entries(state ?? {}).find(([name]) => kept.test(name));
  return entry !== undefined && isFill(entry[1]) ? entry[1] : undefined;
}

/** A control's initial value. */
export function initialValue(element: ValueElement): Fill | undefined {
  const entry = Object.entries(element).find(([name]) => name.startsWith('initial_'));
  return entry !== undefined && isFill(entry[1]) ? entry[1] : undefined;
}

export const isOption = (value: unknown): value is PlainTextOption =>
  typeof value === 'object' && value !== null && 'value' in value && 'text' in value;

export const optionsIn = (value: Fill | undefined): PlainTextOption[] =>
  (Array.isArray(value) ? value : [value]).filter(isOption);

export const wordsIn = (value: Fill | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string' && each !== '').map(String);

export const textOf = (value: Fill | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Options of a static select, groups flattened. */
export function offered(element: ValueElement): PlainTextOption[] {
  const groups = 'option_groups' in element ? (element.option_groups ?? []) : [];
  const own = 'options' in element ? (element.options ?? []) : [];
  return [...own, ...groups.flatMap(({ options }) => options)].filter(isOption);
}
