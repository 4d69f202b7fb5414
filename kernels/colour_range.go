package kernels

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// colourSpace names the channels of a space and what their bounds may be.
type colourSpace struct {
	name     string
	channels [3]colourChannel
}

// colourChannel: bounds lie in least..most; share tells whether a bound may be N%. A circle is 360 around.
type colourChannel struct {
	name, about string
	least, most float64
	share       bool
	circle      bool
}

func colourSpaces() []colourSpace {
	inf := math.Inf(1)
	sample := func(name string) colourChannel {
		return colourChannel{name: name, about: "in sample units, or N% of their range", least: -inf, most: inf, share: true}
	}
	chroma := func(name string) colourChannel {
		return colourChannel{name: name, about: "from about -110 to 100", least: -200, most: 200}
	}
	return []colourSpace{
		{"rgb", [3]colourChannel{sample("r"), sample("g"), sample("b")}},
		{"hsv", [3]colourChannel{
			{name: "h", about: "in degrees, 0 to 360, and goes around: 350..20", least: -360, most: 720, circle: true},
			{name: "s", about: "from 0 to 1, or N%", most: 1, share: true},
			{name: "v", about: "from 0 to 1, or N%", most: 1, share: true},
		}},
		{"lab", [3]colourChannel{{name: "l", about: "from 0 to 100", most: 100}, chroma("a"), chroma("b")}},
	}
}

// colourBound is one end of a range as it was written.
type colourBound struct {
	given bool
	value float64
	share bool // value is in percent
}

// text is canonical, but that show writes the number.
func (b colourBound) text(show numerals) string {
	switch {
	case !b.given:
		return ""
	case b.share:
		return show(formatNumber(b.value)) + "%"
	}
	return show(formatNumber(b.value))
}

// fraction is the bound of a channel of 0..1.
func (b colourBound) fraction() float64 {
	if b.share {
		return b.value / 100
	}
	return b.value
}

// colourRange is from..to of a channel.
type colourRange struct {
	asked    bool
	from, to colourBound
}

func (r colourRange) String() string { return r.text(allDigits) }

func (r colourRange) text(show numerals) string {
	if r.from.given && r.from == r.to {
		return r.from.text(show)
	}
	return r.from.text(show) + ".." + r.to.text(show)
}

// colourRanges are what activation= or boundary= asks of the channels of a space.
type colourRanges struct {
	space *colourSpace
	of    [3]colourRange
}

// String is canonical.
func (r *colourRanges) String() string { return r.text(allDigits) }

func (r *colourRanges) text(show numerals) string {
	var parts []string
	for i, c := range r.of {
		if c.asked {
			parts = append(parts, r.space.channels[i].name+":"+c.text(show))
		}
	}
	return strings.Join(parts, "+")
}

const colourRangeHint = "write CHANNEL:FROM..TO, either end may be left out, and join several by +, as in "

// example is a value of activation= in the space.
func (s *colourSpace) example() string {
	return map[string]string{"rgb": "r:180..+g:..90", "hsv": "h:350..20+s:40%..", "lab": "l:30..80+a:20.."}[s.name]
}

// parseColourRanges reads h:350..20+s:40%..; ranges may also be joined by semicolons, commas, & or blanks.
func parseColourRanges(key, text string, space *colourSpace) (*colourRanges, error) {
	const end = `-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?\s*%?`
	one := regexp.MustCompile(`^\s*([A-Za-z*]+)\s*[:=]?\s*(?:(` + end + `)?\s*(\.\.)\s*(` + end + `)?|(` + end + `))\s*`)
	joint := regexp.MustCompile(`^(?:[+;,&]+\s*|$)`)
	bad := func(hint, format string, args ...any) error {
		e := usagef(hint, format, args...)
		e.Msg = "kernel color: " + key + "=" + text + ": " + e.Msg
		return e
	}
	r := &colourRanges{space: space}
	for rest := text; rest != ""; {
		m := one.FindStringSubmatch(rest)
		if m == nil {
			return nil, bad(colourRangeHint+space.example(), "%q is no range", strings.TrimSpace(rest))
		}
		rest = rest[len(m[0]):]
		j := joint.FindString(rest)
		if j == "" && rest != "" && !strings.HasSuffix(m[0], " ") {
			return nil, bad(colourRangeHint+space.example(), "%q is no range", strings.TrimSpace(m[0]+rest))
		}
		rest = rest[len(j):]
		if m[3] == "" {
			m[2], m[4] = m[5], m[5]
		}
		i := space.channel(m[1])
		switch {
		case i < 0:
			return nil, bad(space.otherSpace(m[1]), "%s has no channel %s", space.name, m[1])
		case r.of[i].asked:
			return nil, bad("give one range a channel", "%s is given twice", space.channels[i].name)
		}
		c := colourRange{asked: true}
		for k, end := range []*colourBound{&c.from, &c.to} {
			var hint string
			if *end, hint = space.channels[i].bound(m[2+2*k]); hint != "" {
				return nil, bad(hint, "%s of %s is out of range", strings.TrimSpace(m[2+2*k]), space.channels[i].name)
			}
		}
		if hint := space.channels[i].settle(&c); hint != "" {
			return nil, bad(hint, "no value is in %s:%s", space.channels[i].name, c)
		}
		r.of[i] = c
	}
	return r, nil
}

func (s *colourSpace) channel(name string) int {
	for i, c := range s.channels {
		if strings.EqualFold(strings.TrimSuffix(name, "*"), c.name) {
			return i
		}
	}
	return -1
}

// otherSpace is the hint for a channel that the space does not have.
func (s *colourSpace) otherSpace(name string) string {
	for _, o := range colourSpaces() {
		if o.channel(name) >= 0 {
			return "space=" + o.name + " has it"
		}
	}
	var about []string
	for _, c := range s.channels {
		about = append(about, c.name+" ("+c.about+")")
	}
	return "the channels of " + s.name + ": " + strings.Join(about, ", ")
}

// bound reads one end; a hint says what is wrong with it.
func (c *colourChannel) bound(text string) (b colourBound, hint string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return colourBound{}, ""
	}
	number, share := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	b = colourBound{true, x + 0, share} // -0 becomes 0
	switch {
	case err != nil || math.IsInf(x, 0), share && !c.share, share && (x < 0 || x > 100):
		return b, c.name + " is " + c.about
	case !share && (x < c.least || x > c.most):
		hint = c.name + " is " + c.about
		if c.most == 1 && x > 1 && x <= 100 {
			hint += "; " + formatNumber(x) + "% is " + formatNumber(x/100)
		}
		return b, hint
	}
	return b, ""
}

// settle brings a range into its canonical form. A hint says why no value can be in it.
func (c *colourChannel) settle(r *colourRange) (hint string) {
	if c.circle {
		r.turn()
		return ""
	}
	from, to := r.from.value, r.to.value
	if c.most == 1 {
		from, to = r.from.fraction(), r.to.fraction()
	} else if r.from.share != r.to.share {
		return "" // seen when the page is known
	}
	if r.from.given && r.to.given && from > to {
		return "FROM must not be above TO; only h goes around"
	}
	return ""
}

// turn brings degrees to 0 up to 360; the whole circle is 0..360.
func (r *colourRange) turn() {
	from, to := r.from.value, r.to.value
	if !r.to.given {
		to = 360
	}
	if to-from >= 360 {
		from, to = 0, 360
	} else {
		degrees := func(v float64) float64 {
			if v = math.Mod(v, 360); v < 0 {
				v += 360
			}
			return v + 0
		}
		end := to
		from, to = degrees(from), degrees(to)
		if to == 0 && end != r.from.value {
			to = 360 // 300..360 and -60..0 end where the circle does
		}
	}
	r.from, r.to = colourBound{true, from, false}, colourBound{true, to, false}
}
