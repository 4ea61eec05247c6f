# The operator's image. `make image` puts the static binary into the build context and nothing else.
FROM gcr.io/distroless/static-debian12:nonroot
COPY eclusier-operator /eclusier-operator
USER 65532:65532
ENTRYPOINT ["/eclusier-operator"]
