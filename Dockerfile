# docker build --tag lve . && docker run --rm --network none lve
# runs the collection on its recorded answers, offline. Own tests, and a model:
# docker run --rm --volume "$PWD:/tests" --env OPENAI_API_KEY lve run . --model openai/gpt-6-luna
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY schemas schemas
COPY lve lve
RUN pip install --no-cache-dir "hatchling>=1.27" && python -m hatchling build --target wheel --directory /wheels

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels \
    && useradd --create-home --uid 10001 lve && mkdir /tests && chown lve:lve /tests
USER 10001
WORKDIR /tests
COPY --chown=lve:lve repository repository
COPY --chown=lve:lve checkers checkers
ENTRYPOINT ["lve"]
CMD ["run", "repository", "--model", "replay"]
