# syntax=docker/dockerfile:1
# Node 24 LTS for amd64 and arm64. Newer: docker buildx imagetools inspect node:24-bookworm-slim
ARG NODE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM $NODE AS build
WORKDIR /bellows
COPY package.json package-lock.json ./
COPY sandbox/package.json ./sandbox/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/@bellows

FROM $NODE
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
# For merge queues that test on branches of their own.
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /bellows
COPY --from=build /bellows/package.json /bellows/LICENSE ./
COPY --from=build /bellows/node_modules ./node_modules
# Only the program: the sandbox and its dependencies are left out.
COPY --from=build /bellows/dist/cli.js ./dist/cli.js
COPY --from=build /bellows/dist/program ./dist/program
COPY --from=build /bellows/manifests ./manifests
USER node
EXPOSE 3000
# Running work gets up to 25 s to finish: docker stop -t 30, or stop_grace_period in compose.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=1", "dist/cli.js"]
CMD ["start"]
