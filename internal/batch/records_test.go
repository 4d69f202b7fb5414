package batch

import (
	"testing"
)

// The worked example, 0 1 0 1 2 0 1 0: one segment [3,6] of four samples, whose inside is 250 and 100, mean 175.
// The second line has 1 2 1 2 1: [0,2] and [2,4] share a boundary. Inside is 250 each.
func TestRecordsOfTheWorkedExample(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("01012010", "12121000"))))
	sum := succeed(t, cfg)
	wantText(t, "records", read(t, cfg.Out, "a.png.segments.csv"), ""+
		"file,page,line,start,end,length,activations,min,max,mean,edge\n"+
		"a.png,0,0,3,6,4,1,100,250,175,\n"+
		"a.png,0,1,0,2,3,1,250,250,250,\n"+
		"a.png,0,1,2,4,3,1,250,250,250,\n")
	// Ten samples in segments, [2] of line 1 in two of them: 9 of 16 are covered, 56.25 %. The inside of all is
	// 250 100 250 250: mean 212.5.
	wantText(t, "summary", read(t, cfg.Out, "summary.csv"), ""+
		"file,page,width,height,sample,kernel,lo,hi,count,total_length,mean_length,coverage_percent,min,mean,max,warnings\n"+
		"a.png,0,8,2,u8,\"hysteresis:lo=10,hi=200\",10,200,3,10,3.33333,56.25,100,212.5,250,\n")
	wantList(t, "outputs", tree(t, cfg.Out), []string{"a.png.overlay.png", "a.png.segments.csv", "summary.csv"})
	if sum.Done != 1 || sum.Pages != 1 || sum.Segments != 3 || sum.Pixels != 16 {
		t.Errorf("summary counts %d files, %d pages, %d segments, %d pixels", sum.Done, sum.Pages, sum.Segments, sum.Pixels)
	}
}
