import { app } from './app.js';
import { chat } from './chat.js';
import { conversations } from './conversations.js';
import { entities } from './entity.js';
import { histories } from './history.js';
import type { Method } from './method.js';
import { people } from './people.js';
import { unfurls } from './unfurl.js';
import { views } from './views.js';

export const methods: Readonly<Record<string, Method>> = {
  ...app,
  ...chat,
  ...unfurls,
  ...entities,
  ...views,
  ...conversations,
  ...histories,
  ...people,
};
