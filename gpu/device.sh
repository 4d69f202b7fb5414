#!/usr/bin/env bash
# Checks and measures the fused kernels on a machine that has a CUDA device but no Go. Run in the repository's folder,
# after `make device-tests` elsewhere, which leaves the test program in .carry. It takes about five minutes.
# With CUDA's own tools there it also assembles the PTX for several devices and shows registers and spills, and with
# .carry/cub_baseline.cu it measures a pipeline made of CUB beside.
set -u
export SEGSCAN_REQUIRE_GPU=1 PATH="$PATH:/usr/local/cuda/bin"
tests=$PWD/.carry/gpu.test
kernels=$PWD/kernels/cuda
[ -x "$tests" ] || { echo "$tests is not there: make device-tests"; exit 1; }
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader

if command -v ptxas >/dev/null; then
	echo "== registers and spills"
	for spec in fused:90 fused:80 fused_table:90 fused_lines:90 fused_many:90 fused_many_table:90 fused_basic:75; do
		ptxas -v -arch="sm_${spec#*:}" "$kernels/${spec%:*}.ptx" -o /dev/null 2>&1 |
			awk -v s="$spec" '/Compiling/ {split($0, q, "\047"); n = q[2]} /spill|error|fatal/ {spill = $0} /Used/ {sub(/.*Used/, "Used"); print s, n, $0, spill; spill = ""} /error|fatal/ {print s, $0}'
	done
fi

cd gpu || exit 1
echo "== equality"
"$tests" -test.short -test.run "${1:-Fused|Many|Line|Piece|Engine|Speed|Every|Carry|Classifier}" -test.timeout 4m 2>&1 | tail -n 25
equal=${PIPESTATUS[0]}
echo "== speed: median and least of 21 launches in us, shares of the read ceiling and of read and write"
"$tests" -test.run '^$' -test.bench "${2:-Fused}" -test.benchtime 1x -test.timeout 7m 2>&1 |
	awk '/^BenchmarkFused/ {line = substr($1, 15); sub(/^\//, "", line); sub(/-[0-9]+$/, "", line)
		for (i = 3; i < NF; i += 2) v[$(i + 1)] = $i
		printf "%-62s %9.1f %9.1f  read %.3f  rw %.3f  %.2f TB/s  %d spans\n", line, v["us"], v["least-us"], v["read"], v["rw"], v["read-TB/s"], v["spans"]; next}
		/^(goos|goarch|pkg|cpu|ok|PASS)/ {next} {print}'
measured=${PIPESTATUS[0]}
if [ -f ../.carry/cub_baseline.cu ] && command -v nvcc >/dev/null; then
	echo "== a pipeline from CUB on the same samples"
	built=$(mktemp -d)
	nvcc -O3 -std=c++17 -arch=native -o "$built/cub_baseline" ../.carry/cub_baseline.cu 2>/dev/null && "$built/cub_baseline"
	rm -r "$built"
fi
exit $((equal + measured))
