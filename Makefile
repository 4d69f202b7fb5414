# What one does with segscan's source. `make help` lists the targets.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZCOUNT   ?= 20000x
SOAKTIME    ?= 10m
QEMU_ARM64  ?= $(firstword $(wildcard /usr/bin/qemu-aarch64 /usr/bin/qemu-aarch64-static) qemu-aarch64)
PLATFORMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.DEFAULT_GOAL := help
.PHONY: help build test race check bench fuzz soak golden pictures gallery kernels asm test-noasm test-arm64 emulation test-gpu device-tests cross clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the segscan program, in this folder
	CGO_ENABLED=0 $(GO) build -trimpath -o segscan .

test: ## all tests
	$(GO) test -timeout 30m ./...

race: ## all tests under the race detector
	$(GO) test -race -short -timeout 30m ./...

check: ## formatting, vet, staticcheck
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt -w needed: $$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

bench: ## benchmarks of the engine, the codecs and the drawing
	$(GO) test -run '^$$' -bench . -benchmem ./...

fuzz: ## every fuzz target for a fixed number of inputs (FUZZCOUNT)
	@GO="$(GO)" sh internal/fuzz.sh $(FUZZCOUNT)

soak: ## a page of 10 Gpx in bounded memory, then every fuzz target for SOAKTIME each
	SEGSCAN_SOAK=1 $(GO) test ./internal/cli -run PeakMemory -v -timeout 60m
	@GO="$(GO)" sh internal/fuzz.sh $(SOAKTIME)

golden: ## rewrite samples/golden from what the program does now; read the diff before committing it
	$(GO) generate ./samples
	$(GO) test ./internal/cli -run "Golden|Scripts" -update

pictures: ## the README's pictures, by the program itself
	@out=$$(mktemp -d) && $(GO) run . -q -o $$out --style side --legend samples/inspection.png && \
		$(GO) run . -q -o $$out --overwrite --plot profile=0 samples/signal.png && mkdir -p docs/images && \
		cp $$out/inspection.png.overlay.png docs/images/inspection.png && \
		cp $$out/signal.png.profile-0.png docs/images/signal.png && rm -r $$out

gallery: ## docs/gallery.md, a picture for each kernel, by the program itself
	$(GO) run ./internal/gallery

kernels: ## PTX of the CUDA kernels, with clang and no CUDA toolkit
	$(GO) run ./kernels/cuda/generate

asm: ## the amd64 assembly, by its generators
	$(GO) generate ./segment/internal/simd ./kernels/internal/simd ./internal/raster/internal/simd

test-noasm: ## all tests on portable Go alone, those of the engine in full
	$(GO) test -tags noasm ./segment/...
	$(GO) test -tags noasm -short $$($(GO) list ./... | grep -v -e /gpu -e /cuda) # those two run on devices' text

test-arm64: ## arm64 under qemu-aarch64 (Debian: qemu-user): the engine's assembly, and that the kernels' bits are those of amd64
	GOARCH=arm64 $(GO) test -short -exec $(QEMU_ARM64) ./segment/internal/simd ./kernels/internal/simd ./internal/raster/internal/simd
	GOARCH=arm64 $(GO) test -short -exec $(QEMU_ARM64) -run 'Bits|SameEverywhere' ./kernels

emulation: ## the driver that is not there, which runs the CUDA kernels on the CPU, with g++ or clang
	$(GO) run ./gpu/emulation/build

test-gpu: ## the GPU tests on this machine's device; none is skipped for want of one
	SEGSCAN_REQUIRE_GPU=1 $(GO) test ./gpu ./internal/cli -run "Local|Code|Many|Planted|Engine|Stages|Piece|Histogram|Memory|Planned|Bands|Alloc|Fused|Sanitize|OnDevice" -count 1

device-tests: ## test programs and corpus for gpu/check-device.sh and gpu/device.sh, which run where there is no Go
	mkdir -p .carry
	CGO_ENABLED=0 $(GO) test -c -trimpath -ldflags "-s -w" -o .carry/gpu.test ./gpu
	CGO_ENABLED=0 $(GO) test -c -trimpath -ldflags "-s -w" -o .carry/cli.test ./internal/cli
	@corpus=$${SEGSCAN_CORPUS:-../shared/corpus}; if [ -d "$$corpus" ]; then rm -rf .carry/corpus && cp -r "$$corpus" .carry/corpus; fi

cross: ## build for every supported platform
	@for p in $(PLATFORMS); do \
		echo "$$p"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -trimpath -o /dev/null . || exit 1; \
	done

clean: ## remove what these targets made
	rm -rf segscan segscan.exe segscan-out dist
