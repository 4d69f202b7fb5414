package cuda

import "unsafe"

// Kernel describes one entry of the PTX.
type Kernel struct {
	Module  string // the stem of its source
	Entry   string
	Threads uint32  // of a block
	Params  uintptr // bytes of its one parameter
	Samples uint32  // that a block takes, for kernels on tiles; else 0
}

// Small is the name of a tile kernel with the smallest tile.
func Small(entry string) string { return entry + "_small" }

// Kernels lists every entry of every module.
func Kernels() []Kernel {
	var k []Kernel
	tile := func(module string, params uintptr, entries ...string) {
		for _, e := range entries {
			k = append(k, Kernel{module, e, TileThreads, params, TileSamples},
				Kernel{module, Small(e), SmallThreads, params, SmallSamples})
		}
	}
	plain := func(module string, params uintptr, entries ...string) {
		for _, e := range entries {
			k = append(k, Kernel{module, e, PlainThreads, params, 0})
		}
	}
	tile("classify", unsafe.Sizeof(ClassifyParams{}),
		"classify_u8", "classify_u16", "classify_f32", "classify_table_u8", "classify_table_u16")
	tile("classify", unsafe.Sizeof(MaskParams{}), "classify_masks")
	plain("classify", unsafe.Sizeof(MaskParams{}), "pack_masks")
	plain("classify", unsafe.Sizeof(PlanesParams{}), "planes_u8", "planes_u16", "planes_f32", "planes_table_u8", "planes_table_u16")
	tile("scan", unsafe.Sizeof(ScanParams{}), "scan")
	tile("readout", unsafe.Sizeof(ReadoutParams{}), "readout")
	tile("compact", unsafe.Sizeof(CompactParams{}), "compact", "compact_local", "compact_stitch")
	for _, e := range []string{"compact_counts", "compact_bases"} {
		k = append(k, Kernel{"compact", e, TileThreads, unsafe.Sizeof(CountsParams{}), 0},
			Kernel{"compact", Small(e), SmallThreads, unsafe.Sizeof(CountsParams{}), 0})
	}
	plain("histogram", unsafe.Sizeof(HistogramParams{}),
		"histogram_u8", "histogram_u16", "histogram_f32", "histogram_fine_f32")
	plain("histogram", unsafe.Sizeof(SumParams{}), "sum_blocks_f32", "sum_lines_f32")
	plain("measure", unsafe.Sizeof(MeasureParams{}), "measure_u8", "measure_u16", "measure_f32",
		"measure_long_u8", "measure_long_u16", "measure_long_f32")
	fused := func(module string, threads uint32, entries ...string) {
		for _, e := range entries {
			k = append(k, Kernel{module, e, threads, unsafe.Sizeof(FusedParams{}), 0})
		}
	}
	fused("fused", FusedThreads, "fused_u8", "fused_u16", "fused_f32")
	fused("fused_table", FusedThreads, "fused_intervals_u8", "fused_intervals_u16", "fused_table_u8", "fused_table_u16")
	fused("fused_lines", FusedThreads, "fused_lines_u8", "fused_lines_u16", "fused_lines_f32")
	fused("fused_many", FusedThreads, "fused_many_u8", "fused_many_u16", "fused_many_f32")
	fused("fused_many_table", FusedThreads, "fused_many_intervals_u8", "fused_many_intervals_u16", "fused_many_table_u8", "fused_many_table_u16")
	fused("fused_small", FusedThreads, "fused_u8_small", "fused_u16_small")
	fused("fused_basic", FusedBasicThreads, "fused_basic_u8", "fused_basic_u16", "fused_basic_f32",
		"fused_basic_intervals_u8", "fused_basic_intervals_u16", "fused_basic_table_u8", "fused_basic_table_u16")
	fused("fused_basic_lines", FusedBasicThreads, "fused_basic_lines_u8", "fused_basic_lines_u16", "fused_basic_lines_f32")
	plain("local", unsafe.Sizeof(LocalParams{}), "local_mean_u8", "local_stats_u8", "local_mean_wide_u8", "local_stats_wide_u8",
		"local_mean_u16", "local_stats_u16")
	for _, e := range []string{"small", "one", "three", "even", "odd"} {
		k = append(k, Kernel{"local_matrix", "local_matrix_" + e + "_u8", LocalMatrixThreads, unsafe.Sizeof(LocalParams{}), 0})
	}
	k = append(k, Kernel{"local_narrow", "local_narrow_u8", LocalNarrowThreads, unsafe.Sizeof(LocalParams{}), 0})
	plain("local_survey", unsafe.Sizeof(LocalParams{}), "local_survey_down_u8", "local_survey_down_u16", "local_survey_along_u8",
		"local_survey_along_u16", "local_survey_along_f32")
	median := func(threads uint32, entries ...string) {
		for _, e := range entries {
			k = append(k, Kernel{"local_median", e, threads, unsafe.Sizeof(MedianParams{}), 0})
		}
	}
	median(32, "median_u8", "median_u16", "median_f32")
	median(MedianSortThreads, "median_rank_u16", "median_rank_f32")
	plain("code", unsafe.Sizeof(CodeParams{}), "code_planes")
	for _, pass := range []string{"passes_down_", "passes_along_"} {
		plain("passes", unsafe.Sizeof(LocalParams{}), pass+"extremes_u8", pass+"extremes_u16", pass+"extremes_f32", pass+"sums_f32",
			pass+"gaussian_u8", pass+"gaussian_u16", pass+"gaussian_f32")
	}
	plain("bench", unsafe.Sizeof(BenchParams{}), "bench_fill", "bench_read4", "bench_read8", "bench_read_write")
	return k
}
