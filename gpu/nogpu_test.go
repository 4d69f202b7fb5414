//go:build nogpu

package gpu

import (
	"context"
	"errors"
	"testing"
)

// A program without the binding says so, and chooses the CPU.
func TestNoGPU(t *testing.T) {
	if _, err := Open(context.Background(), Options{}); !errors.Is(err, ErrNoGPUBuild) {
		t.Errorf("open: %v", err)
	}
	if _, err := Devices(context.Background(), Options{}); !errors.Is(err, ErrNoGPUBuild) {
		t.Errorf("devices: %v", err)
	}
	c := NewChooser(context.Background(), Policy{Mode: CUDA})
	if err := c.Open(); !errors.Is(err, ErrNoGPUBuild) {
		t.Errorf("cuda: %v", err)
	}
}
