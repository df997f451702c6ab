# The studio, for a workspace on PostgreSQL: `docker compose up` (docs/guides/studio.md).
FROM python:3.13-slim AS build
WORKDIR /source
RUN python -m venv /opt/folkways
COPY requirements/studio.txt requirements/
RUN /opt/folkways/bin/pip install --no-cache-dir --require-hashes -r requirements/studio.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY studio studio
RUN /opt/folkways/bin/pip install --no-cache-dir --no-deps --no-build-isolation . ./studio

FROM python:3.13-slim
RUN useradd --uid 10001 --create-home folkways && install --directory --owner=folkways /data
COPY --from=build /opt/folkways /opt/folkways
ENV PATH=/opt/folkways/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
WORKDIR /home/folkways
EXPOSE 8765
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
# 0.0.0.0 inside the container; which addresses outside lead to it, compose.yaml says.
CMD ["folkways", "studio", "--host", "0.0.0.0"]
