/** Slack's limits, in characters unless noted; Slack refuses anything larger. */
export const limits = {
  message: { blocks: 50, text: 4000, characters: 13_000 },
  view: { blocks: 100, bytes: 250_000, title: 24, submit: 24, close: 24, privateMetadata: 3000, callbackId: 255 },
  section: { text: 3000, fields: 10, field: 2000 },
  header: 150,
  actions: 25,
  input: { label: 2000, hint: 2000 },
  button: { text: 75, value: 2000, url: 3000 },
  option: { text: 75, description: 75, value: 150 },
  select: { options: 100 },
  overflow: { most: 5 },
  checkboxes: 10,
  placeholder: 150,
  textInput: 3000,
  confirm: { title: 100, text: 300, button: 30 },
  actionId: 255,
} as const;
