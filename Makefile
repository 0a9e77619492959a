# The tasks of playhead; `make` lists them. Users need scripts/try and scripts/test alone, and CI runs .ci/run.
BIN ?= $(if $(VIRTUAL_ENV),$(VIRTUAL_ENV),.venv)/bin

.PHONY: help try test install check full speed lint format types page site schemas stubs sc2-build hots-build source2-build

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\): ## /make \1\t/p' $(MAKEFILE_LIST) | expand -t 24

try: ## scripts/try: install playhead, write sample replays, export their tables
	scripts/try

test: ## scripts/test: install all that the tests compare playhead to, run them
	scripts/test

install: ## an editable install with the tools of development, into .venv or the active environment
	scripts/install 'meson-python>=0.18,<1' 'meson>=1.4,<2' 'ninja>=1.11,<2' 'Cython>=3.1,<4' setuptools wheel
	scripts/install --no-build-isolation --group dev -e .

check: ## .ci/run: what must pass before a change lands
	.ci/run

full: ## the same without sampling or omissions, then speed: once a week and before a release
	.ci/run --whole
	$(MAKE) speed

speed: ## rows of docs/speed.md that became slower by a tenth, in an environment of their own
	VIRTUAL_ENV=$(CURDIR)/build/speed scripts/install 'meson-python>=0.18,<1' meson ninja Cython setuptools wheel
	VIRTUAL_ENV=$(CURDIR)/build/speed scripts/install --group dev .
	build/speed/bin/python benchmarks/all.py --check benchmarks/stored.json

lint: ## what .pre-commit-config.yaml runs before a commit, on all files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd viewer && npm run check && npm run lint

format: ## format Python and TypeScript
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd viewer && npm run format

types: ## the public API as users see it
	$(BIN)/pyright

page: ## test and build the page of the viewer; the built page is committed
	cd viewer && npm ci && npm run check && npm run lint && npm test && npm run build

site: ## serve the site of docs/ while it is edited
	$(BIN)/zensical serve

schemas: ## the pages of tables in docs/tables
	$(BIN)/python tools/write_schema_docs.py

stubs: ## the .pyi of hot modules
	$(BIN)/python tools/write_stubs.py

sc2-build hots-build source2-build: # words after the target are recordings
	$(BIN)/python tools/build_game.py $(@:-build=) $(filter-out $@,$(MAKECMDGOALS))

sc2-build: ## data of a new build of StarCraft II: make sc2-build FILE…; docs/new-build.md
hots-build: ## the same of Heroes of the Storm
source2-build: ## messages, events and titles of Dota 2, CS2 and Deadlock
