import { render } from 'preact';
import { Shell } from './shell.js';
import { begin } from './store.js';
import { applyTheme } from './theme.js';

applyTheme();
const root = document.getElementById('app');
if (root) render(<Shell />, root);
begin();
