#!/usr/bin/env bash
# All checks of a CUDA device, on a machine that has one but no Go. Run in the repository's folder, after
# `make device-tests` elsewhere, which leaves the test programs and the corpus in .carry. It takes less than 15 minutes:
# the tests of the GPU engine, samples and corpus through the command line, and, where compute-sanitizer is there, its
# four tools on TestSanitize. gpu/device.sh measures speed.
set -u
root=$PWD
export SEGSCAN_REQUIRE_GPU=1 SEGSCAN_CORPUS=$root/.carry/corpus PATH="$PATH:/usr/local/cuda/bin"
failed=0

# check NAME SECONDS FOLDER COMMAND...: runs it there for at most so long and shows the end of what it says.
check() {
	local name=$1 limit=$2 folder=$3 start=$SECONDS log
	shift 3
	log=$(mktemp)
	echo "== $name"
	(cd "$root/$folder" && timeout -k 5 "$limit" "$@") >"$log" 2>&1
	local code=$?
	tail -n "${TAIL:-25}" "$log"
	echo "-- $name: exit $code after $((SECONDS - start)) s"
	rm -f "$log"
	[ "$code" -eq 0 ] || failed=$((failed + 1))
}

for program in gpu.test cli.test; do
	[ -x ".carry/$program" ] || { echo ".carry/$program is not there: make device-tests"; exit 1; }
done
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader

check "engine" 270 gpu "$root/.carry/gpu.test" -test.timeout 260s
check "samples and corpus" 330 internal/cli "$root/.carry/cli.test" -test.run 'OnDevice|DevicesCommand' -test.v -test.timeout 320s

if command -v compute-sanitizer >/dev/null; then
	for tool in memcheck racecheck synccheck initcheck; do
		form=exact
		[ $tool = initcheck ] && form=plain # fresh memory is filled in exact
		TAIL=40 check "$tool" 70 gpu compute-sanitizer --tool $tool --error-exitcode 9 --print-limit 20 \
			"$root/.carry/gpu.test" -test.run "TestSanitize/$form" -test.timeout 65s
	done
else
	echo "== compute-sanitizer is not there: memcheck, racecheck, synccheck and initcheck were not run"
fi
echo "$failed checks failed"
exit $((failed > 0))
