# Bottega's server with its games compiled: nobody waits for the compiler, and only /data and the
# machine code can be written to. How it is built and run stands in docs/server.md.

FROM debian:trixie-slim AS base
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 \
    && rm -rf /var/lib/apt/lists/*
# The kind of processor that machine code is made for: any, or say x86-64-v3 (see docs/server.md).
ARG CPU=generic
ENV PATH=/opt/bottega/bin:$PATH \
    NUMBA_CACHE_DIR=/opt/bottega/compiled \
    NUMBA_CPU_NAME=$CPU \
    NUMBA_CPU_FEATURES= \
    PYTHONUNBUFFERED=1

FROM base AS build
RUN apt-get update && apt-get install --yes --no-install-recommends python3-venv
RUN python3 -m venv /opt/bottega
WORKDIR /build
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir --constraint constraints.txt '.[postgres]' && pip uninstall --yes pip
RUN bottega warm

FROM base
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --home-dir /data bottega \
    && install --directory --owner bottega --group bottega --mode 700 /data
COPY --from=build /opt/bottega /opt/bottega
# Numba keeps to a folder in which it may write, also to read.
RUN chown -R bottega:bottega /opt/bottega/compiled
USER bottega
ENV BOTTEGA_DATA=/data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=8s --start-period=30s --retries=3 \
    CMD ["python3", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8000/readyz', timeout=7)"]
ENTRYPOINT ["bottega"]
CMD ["serve", "--host", "0.0.0.0"]
