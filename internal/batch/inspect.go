package batch

import (
	"context"

	"segscan/internal/raster"
)

// Inspect opens the files of a plan one after the other and calls each with a report, which is valid until each
// returns, or with why there is none. An error of each ends the walk and is given back. Of cfg it looks at Raster,
// Pages and Stdin.
func Inspect(ctx context.Context, cfg *Config, plan *Plan, each func(f *PlannedFile, rep *raster.Report, pages []int, err error) error) error {
	for i := range plan.Files {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := inspect(ctx, cfg, &plan.Files[i], each); err != nil {
			return err
		}
	}
	return nil
}

func inspect(ctx context.Context, cfg *Config, f *PlannedFile, each func(*PlannedFile, *raster.Report, []int, error) error) error {
	src, err := openSource(ctx, cfg, f)
	if err != nil {
		return each(f, nil, nil, err)
	}
	defer src.close()
	rep, err := raster.Inspect(src, src.size, f.Name(), cfg.Raster)
	if err != nil {
		return each(f, nil, nil, err)
	}
	list := cfg.Pages
	if list == nil && rep.Pages > 0 { // extra ones too: here they cost little
		list = PageList{{From: 0, To: rep.Pages + rep.ExtraPages - 1}}
	}
	pages, err := list.resolve(rep.Pages, rep.ExtraPages)
	return each(f, rep, pages, err)
}
