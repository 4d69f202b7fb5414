package simd

import (
	"testing"

	"segscan/internal/asmtest"
)

func TestGeneratedIsFresh(t *testing.T) { asmtest.Fresh(t) }
