export { type Drawn, drawForm } from './form/draw.js';
export { chosenRepository, optionSourceOf } from './form/ids.js';
export { type FormMeta, readFormMeta } from './form/meta.js';
export { readDraft, readForm } from './form/read.js';
