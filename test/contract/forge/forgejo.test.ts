import { contractOnSandbox } from './on-sandbox.js';

contractOnSandbox('forgejo-11');
contractOnSandbox('forgejo-15');
contractOnSandbox('forgejo-16');
