package segment

// Resize gives m the shape of lines x samples in the memory it has, if that is enough. The bits hold no meaning
// until they are set, all of them.
func (m *Masks) Resize(lines, samples int) {
	m.Lines, m.Samples, m.Words = lines, samples, (samples+63)/64
	n := lines * m.Words
	if cap(m.B) < n {
		m.B = make([]uint64, n)
	}
	if cap(m.A) < n {
		m.A = make([]uint64, n)
	}
	m.B, m.A = m.B[:n], m.A[:n]
}

// Line gives the words of line l in both masks; they share m's memory.
func (m *Masks) Line(l int) (b, a []uint64) {
	lo, hi := l*m.Words, (l+1)*m.Words
	return m.B[lo:hi:hi], m.A[lo:hi:hi]
}

// Classes unpacks m into Lines*Samples classes, line after line.
func (m *Masks) Classes() []Class {
	classes := make([]Class, 0, m.Lines*m.Samples)
	for l := range m.Lines {
		b, a := m.Line(l)
		for s := range m.Samples {
			classes = append(classes, Class(b[s/64]>>(s%64)&1|a[s/64]>>(s%64)&1<<1))
		}
	}
	return classes
}

// sub is lines l0 to l1-1 of m in m's memory.
func (m *Masks) sub(l0, l1 int) Masks {
	lo, hi := l0*m.Words, l1*m.Words
	return Masks{Lines: l1 - l0, Samples: m.Samples, Words: m.Words, B: m.B[lo:hi:hi], A: m.A[lo:hi:hi]}
}

// tidyLine makes words from a classifier of another package what Masks promises: boundary wins, and nothing is set
// from samples on. Positions of spans would be wrong otherwise.
func tidyLine(b, a []uint64, samples int) {
	if r := samples % 64; r != 0 {
		b[len(b)-1] &= 1<<r - 1
		a[len(a)-1] &= 1<<r - 1
	}
	for i := range a {
		a[i] &^= b[i]
	}
}
