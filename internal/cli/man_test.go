package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestManualIsFresh: docs/segscan.1 is what the flags of this version make.
func TestManualIsFresh(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "segscan.1")
	want := manualPage()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("docs/segscan.1 is not what the flags say (%v); run go test ./internal/cli -update", err)
	}
}
