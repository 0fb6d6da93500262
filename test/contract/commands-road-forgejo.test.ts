import { walkOn } from './walk.js';

walkOn('forgejo-11');
walkOn('forgejo-15');
walkOn('forgejo-16');
