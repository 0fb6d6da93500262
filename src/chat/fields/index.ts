export { choice, choices, toggle } from './choice.js';
export { address, color, sshKey } from './formats.js';
export { clearable, flag, named, optional, trailing } from './make.js';
export { number } from './number.js';
export { people, person, teams } from './people.js';
export { issue, issueOrPull, pull, repository, run } from './repository.js';
export { branch, glob, labels, milestone } from './tags.js';
export { body, rest, secret, text } from './text.js';
export { date, duration } from './times.js';
