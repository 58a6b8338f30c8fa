# The image of weeder: Node, the production bundle, and nothing else. Both bases are pinned by digest, which has to be given:
#   docker build --build-arg NODE_DIGEST=sha256:… --build-arg DISTROLESS_DIGEST=sha256:… -t weeder:0.1.0 .
# deploy/README.md says how to find the digests.
ARG NODE_TAG=24-bookworm-slim
ARG NODE_DIGEST
ARG DISTROLESS_TAG=nonroot
ARG DISTROLESS_DIGEST

FROM node:${NODE_TAG}@${NODE_DIGEST} AS build

# The bundler, with all development dependencies.
WORKDIR /bundler
COPY package.json package-lock.json .npmrc ./
COPY packages/embedded-cluster/package.json packages/embedded-cluster/
RUN npm ci --ignore-scripts

# The sources beside production dependencies alone: a bundle that needs anything else cannot be made here.
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages/embedded-cluster/package.json packages/embedded-cluster/
RUN npm ci --omit=dev --ignore-scripts
COPY rolldown.config.ts ./
COPY machines machines
COPY generated generated
COPY packages/embedded-cluster/src packages/embedded-cluster/src
COPY src src
RUN node /bundler/node_modules/rolldown/bin/cli.mjs -c rolldown.config.ts

FROM gcr.io/distroless/nodejs24-debian12:${DISTROLESS_TAG}@${DISTROLESS_DIGEST}
WORKDIR /weeder
COPY --from=build /build/package.json ./
COPY --from=build /build/dist dist
COPY LICENSE ./
COPY deploy/image/weeder /usr/local/bin/
USER 65532:65532
EXPOSE 9643 9644
# Few pools of malloc: what that is worth is told in docs/adr/0010-bundle.md.
ENV MALLOC_ARENA_MAX=2
ENTRYPOINT ["/nodejs/bin/node", "/weeder/dist/weeder.js"]
CMD ["run"]
