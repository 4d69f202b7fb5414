#!/bin/sh
# Runs every fuzz target of the module for the given -fuzztime, one after the other.
set -eu
time=$1
go=${GO:-go}
for pkg in $("$go" list ./...); do
	for target in $("$go" test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		"$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "$pkg"
	done
done
