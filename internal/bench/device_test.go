package bench

import (
	"context"
	"strings"
	"testing"

	"segscan/gpu"
	"segscan/gpu/emulation"
)

// TestDeviceUnderEmulation takes some cases through the driver that is not there: what kernels find is compared with the
// CPU engine, what comes back over the bus with the definition.
func TestDeviceUnderEmulation(t *testing.T) {
	if testing.Short() {
		t.Skip("emulated kernels take seconds")
	}
	library := emulation.Library(t)
	b := newBench(Options{Quick: true, Bytes: 1 << 18, Device: true, GPU: gpu.Options{Library: library}})
	ctx := context.Background()
	e, err := b.openDevice(ctx)
	if err != nil {
		t.Fatal(err)
	}
	all := kernelCases()
	cases := []kernelCase{all[0], all[len(all)-1]}
	if err := b.device(ctx, e, cases); err != nil {
		t.Fatal(err)
	}
	if err := b.allDevices(ctx, e); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	g := b.report.GPU
	if g.All == nil || g.All.Devices != 1 || g.All.Faster <= 0 {
		t.Errorf("all devices: %+v", g.All)
	}
	if len(g.Kernels) != len(cases) || len(g.Transfers) != len(transfers()) || g.StartUp <= 0 {
		t.Errorf("%d kernels, %d transfers, start-up %g", len(g.Kernels), len(g.Transfers), g.StartUp)
	}
	for _, k := range g.Kernels {
		if k.Fused <= 0 || k.Read <= 0 || k.Segments == 0 {
			t.Errorf("%+v", k)
		}
	}
	for _, tr := range g.Transfers {
		if tr.GBs <= 0 || (tr.CopyGB > 0) != (tr.Memory != "device") {
			t.Errorf("%+v", tr)
		}
	}
	text := b.report.Text()
	for _, part := range []string{"kernel, cuda:0", "of read+write", "host to host", "pinned memory", "all 1 devices"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing:\n%s", part, text)
		}
	}
}
