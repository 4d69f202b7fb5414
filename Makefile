# What one does with segscan's source. `make help` lists the targets.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZCOUNT   ?= 20000x
SOAKTIME    ?= 10m
PLATFORMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.DEFAULT_GOAL := help
.PHONY: help build test race check bench fuzz soak golden kernels emulation cross clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the segscan program, in this folder
	CGO_ENABLED=0 $(GO) build -trimpath -o segscan .

test: ## all tests
	$(GO) test ./...

race: ## all tests under the race detector
	$(GO) test -race -short ./...

check: ## formatting, vet, staticcheck
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt -w needed: $$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

bench: ## benchmarks of the engine, the codecs and the drawing
	$(GO) test -run '^$$' -bench . -benchmem ./...

fuzz: ## every fuzz target for a fixed number of inputs (FUZZCOUNT)
	@GO="$(GO)" sh internal/fuzz.sh $(FUZZCOUNT)

soak: ## every fuzz target for SOAKTIME each
	@GO="$(GO)" sh internal/fuzz.sh $(SOAKTIME)

golden: ## rewrite samples/golden from what the program does now; read the diff before committing it
	$(GO) generate ./samples
	$(GO) test ./internal/cli -run "Golden|Scripts" -update

kernels: ## PTX of the CUDA kernels, with clang and no CUDA toolkit
	$(GO) run ./kernels/cuda/generate

emulation: ## the driver that is not there, which runs the CUDA kernels on the CPU, with g++ or clang
	$(GO) run ./gpu/emulation/build

cross: ## build for every supported platform
	@for p in $(PLATFORMS); do \
		echo "$$p"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -trimpath -o /dev/null . || exit 1; \
	done

clean: ## remove what these targets made
	rm -rf segscan segscan.exe segscan-out dist
