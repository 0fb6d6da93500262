export * from '../feed/lanes.js';
