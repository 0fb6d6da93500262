import { serveBolt } from './bolt.js';

/** The baseline: a command that does nothing. */
await serveBolt();
