# docker build -t signalbox .              the command, in a small image
# docker build -t signalbox-test --target test .   all tests
ARG SWIFT=6.3
ARG DEBIAN=bookworm

FROM swift:${SWIFT}-${DEBIAN} AS base
WORKDIR /src
# First and alone, so that a change of the sources does not install the packages again.
COPY scripts/setup scripts/
RUN scripts/setup
COPY . .

FROM base AS test
CMD ["scripts/test"]

FROM base AS build
# The Swift runtime goes into the program: the last stage needs none.
RUN swift build -q -c release --static-swift-stdlib --product signalbox \
  && strip -o /signalbox .build/release/signalbox

FROM debian:${DEBIAN}-slim
# libmosquitto is what signalbox links; the broker and the clients serve `signalbox broker` and `demo`.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libmosquitto1 mosquitto mosquitto-clients \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --create-home signalbox
COPY --from=build /signalbox /usr/local/bin/signalbox
USER signalbox
WORKDIR /home/signalbox
ENTRYPOINT ["signalbox"]
CMD ["--help"]
