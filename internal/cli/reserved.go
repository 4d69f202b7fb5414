package cli

// reservedFlags are names kept for later versions: an error today, so that no script comes to depend on another
// meaning.
var reservedFlags = set("report", "regions", "labels", "export", "resume", "shard",
	"plan", "watch", "config", "memory", "expect")

// reservedWords are subcommands of later versions.
var reservedWords = set("merge", "plan", "submit", "config", "tune")

// filterKernel is what stands before the keys of filters where a command takes one kernel.
const filterKernel = "-k multiotsu:"

// otherNames are what other programs call a flag of this one.
var otherNames = map[string]string{
	"pages": "--page", "output": "--out", "output-dir": "--out", "outdir": "--out", "out-dir": "--out", "dir": "--out",
	"threads": "--jobs", "workers": "--jobs", "cores": "--jobs", "parallel": "--jobs",
	"force": "--overwrite", "crop": "--roi", "region": "--roi", "rect": "--roi", "gpu": "--device cuda",
	"cpu": "--device cpu", "cuda": "--device cuda", "threshold": "-k hysteresis:lo=40,hi=200",
	"lo": "-k hysteresis:lo=40,hi=200", "hi": "-k hysteresis:lo=40,hi=200", "method": "--kernel", "columns": "--axis cols",
	"cols": "--axis cols", "rows": "--axis rows", "csv": "--records csv", "scale": "--pixel-size", "silent": "--quiet",
	"filter": filterKernel + "smooth=2", "smooth": filterKernel + "smooth=2", "blur": filterKernel + "smooth2d=2", "baseline": filterKernel + "baseline=median:101",
	"flat-field": "--background", "flatfield": "--background", "flat": "--background", "dark-field": "--dark", "darkfield": "--dark",
	"subpixel": "--subsample", "no-overlay": "--overlay none", "no-records": "--records none", "negate": "--invert", "inverse": "--invert",
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
