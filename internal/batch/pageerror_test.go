package batch

import (
	"errors"
	"testing"
)

// One bad page fails its file; the hint says how to have the others.
func TestHintOfADamagedPage(t *testing.T) {
	for _, c := range []struct {
		broken int
		pages  PageList
		want   string
	}{
		{0, nil, "--page 1-3 leaves that page out"},
		{1, nil, "--page 0,2-3 leaves that page out"},
		{2, PageList{{2, 3}}, "--page 0-1,3 leaves that page out"},
		{3, nil, "--page 0-2 leaves that page out"},
	} {
		cfg := config(t, put(t, t.TempDir(), "s.tif", nil))
		f := fakePages(bytesPage("121"), bytesPage("121"), bytesPage("121"), bytesPage("121"))
		f.broken = c.broken
		cfg.Open, cfg.Pages = f.open, c.pages
		sum, _ := run(t, cfg)
		if len(sum.Failed) != 1 || sum.Failed[0].Page != c.broken {
			t.Fatalf("failed %v", sum.Failed)
		}
		var hint interface{ Hint() string }
		if !errors.As(sum.Failed[0], &hint) {
			t.Fatalf("page %d: no hint: %v", c.broken, sum.Failed[0])
		}
		wantText(t, "hint", hint.Hint(), c.want)
	}
	cfg := config(t, put(t, t.TempDir(), "one.tif", nil))
	f := fakePages(bytesPage("121"))
	f.broken = 0
	cfg.Open = f.open
	sum, _ := run(t, cfg)
	var hint interface{ Hint() string }
	if len(sum.Failed) != 1 || errors.As(sum.Failed[0], &hint) {
		t.Errorf("the only page: %v", sum.Failed)
	}
}
