package kernels

import (
	"testing"

	"segscan/segment"
)

func TestSixDigits(t *testing.T) {
	for number, want := range map[string]string{
		"0.4647515770047903": "0.464752",
		"0.038146425":        "0.0381464",
		"1234567.9":          "1234567.9", // 1.23457e+06 is no shorter
		"12345678.125":       "1.23457e+07",
		"-1.234567890e-09":   "-1.23457e-09",
		"53.20":              "53.2",
		"0.2":                "0.2",
		"1234567890123":      "1234567890123",
		"0x1234567":          "0x1234567",
		"1e-20":              "1e-20",
		"1_000.2500":         "1000.25",
	} {
		if got := sixDigits(number); got != want {
			t.Errorf("%s: %s, want %s", number, got, want)
		}
	}
}

// Every family of kernels says what it compares in full, and for people.
func TestReportForms(t *testing.T) {
	fine := []segment.Histogram{floats(nil, 0.1, 0.1, 0.30000001, 0.7, 0.7)}
	lines := append(fine, floats(nil, 0.7, 0.9, 0.9, 2))
	for _, c := range []struct {
		spec        string
		h           []segment.Histogram
		text, short string
	}{
		{"hysteresis:lo=0.123456789,hi=2", nil,
			"hysteresis: boundary v <= 0.123456791, activation v >= 2",
			"boundary v <= 0.123457, activation v >= 2"},
		{"otsu:per=line", lines,
			"otsu per line: lo 0.30078122..0.90234369, hi 0.30078125..0.90234375 over 2 lines",
			"per line: lo 0.300781..0.902344, hi 0.300781..0.902344 over 2 lines"},
		{"otsu", []segment.Histogram{floats(nil, 7, 7)}, "otsu: no thresholds", "no thresholds"},
		{"localmean:window=3,offset=0.123456789", nil,
			"localmean: window 3 x 3, offset 0.123456789; boundary v <= T, activation v > T",
			"window 3 x 3, offset 0.123457; boundary v <= T, activation v > T"},
		{"phansalkar:window=3,q=1.2345678", fine,
			"phansalkar: window 3 x 3, k 0.25, r 0.29999999329447746, p 2, q 1.2345678, range 0.10000000149011612..0.699999988079071; boundary v <= T, activation v > T",
			"window 3 x 3, k 0.25, r 0.3, p 2, q 1.23457, range 0.1..0.7; boundary v <= T, activation v > T"},
		{"gradient:edge=33.3333333%,hi=0.123456789", fine,
			"gradient: sigma 1; boundary where the derivative is greatest and at least 0.199999995 a pixel, 33.3333333% of 0.100000001..0.699999988, activation v >= 0.123456791",
			"sigma 1; boundary where the derivative is greatest and at least 0.2 a pixel, 33.3333% of 0.1..0.7, activation v >= 0.123457"},
		{"color:space=hsv,activation=h:12.3456789..20+s:0.5..", nil,
			"color hsv: boundary the rest, activation h:12.3456789..20+s:0.5..",
			"hsv: boundary the rest, activation h:12.3457..20+s:0.5.."},
		{"distance:to=#808080,near=1.23456789", nil,
			"distance: CIE76 from #808080 (L 53.59, a 0.00, b 0.00): activation d <= 1.23456789, boundary d > 1.23456789",
			"CIE76 from #808080 (L 53.59, a 0, b 0): activation d <= 1.23457, boundary d > 1.23457"},
		{"expr:boundary=v<0.123456789,activation=v>12345678", nil,
			"expr: boundary v<0.123456789, activation v>12345678",
			"boundary v<0.123457, activation v>12345678"},
	} {
		p := page(segment.F32)
		p.Width, p.Height = 9, 9
		_, r, err := mustParse(t, c.spec).Bind(p, c.h, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
		}
		if r.Text != c.text || r.Short != c.short {
			t.Errorf("%s: %q and %q, want %q and %q", c.spec, r.Text, r.Short, c.text, c.short)
		}
	}
}
