import type { HomeView } from '@slack/types';
import type { Blocks } from './blocks.js';
import { limits } from './limits.js';
import { whatFits } from './message.js';

export function home(blocks: Blocks): HomeView {
  return { type: 'home', blocks: whatFits(blocks, limits.view.blocks, limits.view.bytes / 5) };
}
