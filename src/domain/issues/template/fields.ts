import type { IssueFormField } from '../../../forge/schemas/issue-template.js';
import { property } from '../../../property.js';

const kinds = ['markdown', 'input', 'textarea', 'dropdown', 'checkboxes'] as const;

export interface FormOption {
  readonly label: string;
  readonly required: boolean;
  readonly inForm: boolean;
  readonly inContent: boolean;
}

/** One field of an issue form; missing properties are empty or false. */
export interface FormField {
  readonly kind: (typeof kinds)[number];
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly required: boolean;
  /** For inputs. */
  readonly isNumber: boolean;
  /** The pattern for the whole answer, as in a browser; empty for none. */
  readonly pattern: string;
  readonly multiple: boolean;
  readonly asList: boolean;
  readonly render: string;
  readonly hideLabel: boolean;
  readonly options: readonly FormOption[];
  /** The index of the preselected dropdown option. */
  readonly chosen: number | undefined;
  readonly inForm: boolean;
  readonly inContent: boolean;
}

const mostOptions = 100;
const longest = 3_000;
const idForm = /^[\w-]{1,60}$/;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, longest) : '');
const includes = (value: unknown, word: string) => Array.isArray(value) && value.includes(word);

function optionOf(data: unknown): FormOption {
  if (typeof data === 'string') return { label: textOf(data), required: false, inForm: true, inContent: true };
  const visible = property(data, 'visible');
  return {
    label: textOf(property(data, 'label')),
    required: property(data, 'required') === true,
    inForm: !Array.isArray(visible) || includes(visible, 'form'),
    inContent: !Array.isArray(visible) || includes(visible, 'content'),
  };
}

/** As the forge reads it; undefined for a kind that the forge does not know either. */
export function formField(field: IssueFormField): FormField | undefined {
  const kind = kinds.find((each) => each === field.type);
  if (!kind || (kind !== 'markdown' && !idForm.test(field.id))) return undefined;
  const { attributes = {}, validations = {}, visible } = field;
  const options = Array.isArray(attributes['options']) ? attributes['options'].slice(0, mostOptions) : [];
  const chosen = attributes['default'];
  return {
    kind,
    id: idForm.test(field.id) ? field.id : '',
    label: textOf(attributes['label']),
    description: textOf(attributes['description']),
    value: textOf(attributes['value']),
    required: validations['required'] === true,
    isNumber: kind === 'input' && validations['is_number'] === true,
    pattern: kind === 'input' ? textOf(validations['regex']) : '',
    multiple: attributes['multiple'] === true,
    asList: attributes['list'] === true,
    render: textOf(attributes['render']),
    hideLabel: kind === 'markdown' || attributes['hide_label'] === true,
    options: options.map(optionOf),
    chosen: typeof chosen === 'number' ? chosen : undefined,
    inForm: visible.length === 0 || visible.includes('form'),
    inContent: visible.length === 0 ? kind !== 'markdown' : visible.includes('content'),
  };
}
