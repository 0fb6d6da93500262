# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS build
WORKDIR /bellows
COPY package.json package-lock.json ./
COPY sandbox/package.json ./sandbox/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/@bellows

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /bellows
COPY --from=build /bellows/package.json /bellows/LICENSE ./
COPY --from=build /bellows/node_modules ./node_modules
# The program alone: the sandbox and what only it needs stay behind.
COPY --from=build /bellows/dist/cli.js ./dist/cli.js
COPY --from=build /bellows/dist/program ./dist/program
COPY --from=build /bellows/manifests ./manifests
USER node
EXPOSE 3000
# 30 s lets work under way end before the container is killed: docker stop -t 30, or stop_grace_period in compose.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=1", "dist/cli.js"]
CMD ["start"]
