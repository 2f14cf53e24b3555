# Every target a person needs; `make` alone lists them.

LINTER_VERSION := v2.15.0
LINTER         := .tools/golangci-lint-$(LINTER_VERSION)
PACKAGES       ?= ./...
BENCHTIME      ?= 1s

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.PHONY: help servers workers celery sidekiq test test-python test-ruby test-full race lint fix verify bench bench-replay clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

servers: ## install the programs of the throw-away servers, or say how
	@scripts/servers
	@lab/sqs/differential/install.sh

test: servers workers ## what CI runs (at most 10 minutes on 2 cores)
	go test -timeout 15m $(PACKAGES)
	$(MAKE) test-python test-ruby

workers: bin/python ## install what the replay's own Ruby and Python workers need
	@ruby/install

test-python: servers bin/python ## the Python package alone: its tests, ruff, mypy
	cd python && ../bin/python/bin/ruff check --config pyproject.toml . ../replay/fork && ../bin/python/bin/mypy
	cd replay/fork && ../../bin/python/bin/mypy --cache-dir /dev/null --config-file ../../python/pyproject.toml *.py
	bin/python/bin/pytest python

test-ruby: servers ## the gem alone: its tests, rubocop
	@ruby/install
	cd ruby && rubocop -c .rubocop.yml --format quiet . ../replay/fork && rake test

# An environment of its own, made anew when what the package needs has changed.
bin/python: python/pyproject.toml
	@python3 -m venv --clear $@ || { echo "hint: install Python 3.9 or newer with its venv module (Debian: python3-venv)" >&2; exit 1; }
	@$@/bin/pip install --quiet --editable 'python[test]'
	@touch $@

celery: servers bin/python bin/debian-python ## the two Celery environments that the full tests replay: the newest, and Debian's 5.2

# Debian's packages and nothing else, so that no newer version slips in.
bin/debian-python:
	@python/debian
	@/usr/bin/python3 -m venv --clear --without-pip --system-site-packages $@

sidekiq: bin/sidekiq-7/ruby bin/sidekiq-8/ruby ## Sidekiq 7 and 8 with newer databases, for the full tests (root on Debian)

bin/sidekiq-7/ruby bin/sidekiq-8/ruby: ruby/debian ruby/debian-ruby
	@ruby/debian $(if $(filter %-7/ruby,$@),trixie,sid) $(@D)

test-full: export TWICEPROOF_FULL = 1
test-full: servers workers celery sidekiq ## every combination and repeat
	go test -count=1 -timeout 3h $(PACKAGES)
	$(MAKE) test-python test-ruby
	cd ruby && ../bin/sidekiq-7/ruby -S rake test && ../bin/sidekiq-8/ruby -S rake test

race: servers workers ## the tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -timeout 20m $(PACKAGES)

lint: $(LINTER) ## golangci-lint
	$(LINTER) run $(PACKAGES)

fix: $(LINTER) ## format, and mend what golangci-lint can mend by itself
	$(LINTER) fmt
	$(LINTER) run --fix $(PACKAGES)

# Each later check that something generated or copied is in step goes here.
verify: ## formatted, tidy, vetted; generated and copied files in step
	@echo "verify: gofmt"
	@unformatted="$$(gofmt -l .)" && \
		if [ -n "$$unformatted" ]; then printf 'error: not formatted:\n%s\nhint: make fix\n' "$$unformatted" >&2; exit 1; fi
	@echo "verify: go.mod and go.sum"
	@go mod tidy -diff || { echo "hint: go mod tidy" >&2; exit 1; }
	@echo "verify: the examples' tables are the ones that twiceproof schema prints"
	@for d in postgres sqlite mysql; do for f in examples/*/schema.$$d.sql examples/*/*/schema.$$d.sql; do [ -e $$f ] || continue; \
		cmp dialect/$$d/schema.sql $$f || { echo "hint: cp dialect/$$d/schema.sql $$f" >&2; exit 1; }; done; done
	@echo "verify: the examples' variants have the job file of their example"
	@for f in examples/*/*/twiceproof.yaml; do cmp $$(dirname $$f)/../twiceproof.yaml $$f || { echo "hint: cp $$(dirname $$f)/../twiceproof.yaml $$f" >&2; exit 1; }; done
	@echo "verify: the Python package's statements are those of dialect/"
	@python/sync --check
	@echo "verify: the gem's statements are those of dialect/"
	@if command -v ruby >/dev/null; then ruby/sync --check; else echo "verify: skipped, there is no Ruby here"; fi
	@echo "verify: each package has the licence"
	@for d in python ruby; do cmp LICENSE $$d/LICENSE || { echo "hint: cp LICENSE $$d/" >&2; exit 1; }; done
	@echo "verify: go vet"
	@go vet $(PACKAGES)

# A quick look (CI takes one, so that they cannot rot) leaves the document alone.
bench: BENCHMARKS = $(if $(filter 1s,$(BENCHTIME)),docs/benchmarks.md,bin/benchmarks.md)
bench: servers bin/python ## benchmarks; writes docs/benchmarks.md; BENCHTIME=2x for a quick look; TWICEPROOF_FULL=1 for an export of 1 GB
	@mkdir -p bin
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) -timeout 60m ./bench ./lab/... ./wire/... ./repeats/... | tee bin/bench.txt
	go run ./bench/report <bin/bench.txt >bin/benchmarks.new && mv bin/benchmarks.new $(BENCHMARKS)
	@echo "bench: $(BENCHMARKS)"

# Likewise. GOGC is as the replay sets it.
bench-replay: REPLAY_BENCHMARKS = $(if $(filter 1s,$(BENCHTIME)),docs/bench-replay.md,bin/bench-replay.md)
bench-replay: servers workers ## what a replay takes; writes docs/bench-replay.md; BENCHTIME=1x for a quick look
	@mkdir -p bin
	GOGC=400 go test -run '^$$' -bench Proxy -benchtime $(if $(filter 1s,$(BENCHTIME)),20000x,$(BENCHTIME)) ./wire/... | tee bin/bench-wire.txt
	go run ./bench/replay $(if $(filter 1s,$(BENCHTIME)),,-small) <bin/bench-wire.txt >bin/bench-replay.new && mv bin/bench-replay.new $(REPLAY_BENCHMARKS)
	@echo "bench-replay: $(REPLAY_BENCHMARKS)"

clean: ## remove built files and tools
	rm -rf bin .tools

# Named by its version, so that a new version is installed and an old one is
# never used.
$(LINTER):
	@echo "installing golangci-lint $(LINTER_VERSION) into .tools"
	@GOBIN="$(CURDIR)/.tools" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINTER_VERSION)
	@mv .tools/golangci-lint $@
