import type { World } from '../world/index.js';

const ci = `name: Build and test
on:
  push:
  workflow_dispatch:
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: npm ci
      - run: npm test
`;

const deploy = `name: Deploy
on:
  workflow_dispatch:
    inputs:
      environment:
        description: Where it goes
        type: choice
        options: [staging, production]
        default: staging
      version:
        description: Tag to deploy, empty for the branch
        type: string
      workers:
        description: How many at once
        type: number
        default: 2
      dry_run:
        description: Only show what would change
        type: boolean
        default: false
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - run: make deploy
`;

const release = `name: Release
on:
  workflow_dispatch:
    inputs:
      version:
        description: The next version, such as 1.0
        required: true
jobs:
  release:
    runs-on: ubuntu-latest
    steps:
      - run: make release
`;

/** Workflows that can be started manually in the sandbox. */
export function seedWorkflows(world: World): void {
  for (const [file, text] of Object.entries({ 'ci.yml': ci, 'deploy.yml': deploy, 'release.yml': release }))
    world.plantWorkflow({ repo: 'acme/engine', file, text });
}
