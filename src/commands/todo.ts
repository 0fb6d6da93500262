import { command } from '../chat/command.js';
import { sightOperations } from '../domain/inbox/list.js';
import { planTodo, readTodo, todoMessage } from '../domain/todo.js';

export const todo = command({
  name: 'todo',
  title: 'Show my work',
  summary: 'Show your reviews, assignments, mentions and notifications',
  examples: ['todo'],
  fields: {},
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.search', 'notifications.list', ...sightOperations],
  plan: planTodo,
  run: readTodo,
  reply: todoMessage,
});
