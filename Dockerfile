# The image of Gatehouse. docs/deploying.md says how to build and run it.
#   docker build -t gatehouse .                            with the engines of the provider `local`
#   docker build -t gatehouse --build-arg ENGINES=0 .      without them
# Any base with Node 24 or newer and npm will do: --build-arg BASE_IMAGE=...
ARG BASE_IMAGE=docker.io/library/node:24-bookworm-slim

# The program and its console are bundled by development dependencies, which the image itself does not need.
FROM ${BASE_IMAGE} AS program
ARG NPM_CONFIG_REGISTRY
ARG NODE_EXTRA_CA_CERTS
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier
COPY console console
COPY docs docs
COPY pack pack
COPY src src
RUN node pack/write-lib.ts

FROM ${BASE_IMAGE} AS build
ARG ENGINES=1
# For networks with a mirror of npm's registry, or with certificates of their own (a file of the base image).
ARG NPM_CONFIG_REGISTRY
ARG NODE_EXTRA_CA_CERTS
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The base has Node, so the Node that npm would install is left out: it belongs to a processor, and `none` matches no package.
RUN case "$ENGINES" in 1) SKIP=--cpu=none ;; 0) SKIP=--omit=optional ;; *) echo "ENGINES must be 0 or 1" >&2; exit 1 ;; esac \
 && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --no-update-notifier "$SKIP"
COPY bin bin
COPY docs docs
COPY pack pack
COPY src src
COPY LICENSE README.md CHANGELOG.md SECURITY.md deploy/health-check.js ./
COPY --from=program /app/lib lib
# The list of components says what is installed, not what the lock file allows.
RUN node pack/write-code-cache.ts && node pack/write-sbom.ts installed
# Node looks for the compiled code of lib/compiled in a folder with a name that only the running process knows: it makes a link.
# Volumes take over the owner of the folders that they are mounted at.
RUN rm -rf src pack docs/*.ts docs/site node_modules/.cache package-lock.json .npmrc \
 && ln -s /tmp/gatehouse-code-cache code-cache \
 && mkdir -p /empty/data/blobs /empty/tmp && chmod 700 /empty/data /empty/data/blobs && chown -R 10001:10001 /empty/data

FROM ${BASE_IMAGE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Gatehouse" \
      org.opencontainers.image.description="A self-hosted AI gateway: one HTTP API in front of every AI provider" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /app /app
COPY --from=build --chown=10001:10001 /empty/data /data
# Containers are reached from outside of their own network, so both listeners leave the loopback address. Publish the admin
# port (8081) only where you want it to be reached. /tmp has to be writable, nothing else outside of /data.
ENV NODE_ENV=production \
    HOST=0.0.0.0 PORT=8080 \
    ADMIN_HOST=0.0.0.0 ADMIN_PORT=8081 \
    DATA_DIR=/data HOME=/tmp
WORKDIR /app
USER 10001:10001
VOLUME ["/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
# It asks whether the process runs. A gateway that is not ready (its database is away) must not be restarted for that.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 CMD ["node", "/app/health-check.js", "live"]
# Node itself is process 1: it gets SIGTERM and drains.
ENTRYPOINT ["node", "/app/bin/gatehouse.js"]
CMD ["serve"]
