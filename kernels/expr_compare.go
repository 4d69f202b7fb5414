package kernels

func (m *exprMachine) execBool(in *Instr, n int) {
	d := m.b[in.Dst]
	switch in.Op {
	case OpEqI:
		equalVec(d, m.i[in.A], m.i[in.B], n)
		return
	case OpLtI:
		lessVec(d, m.i[in.A], m.i[in.B], n)
		return
	case OpLeI:
		lessEqualVec(d, m.i[in.A], m.i[in.B], n)
		return
	case OpEqF:
		equalVec(d, m.f[in.A], m.f[in.B], n)
		return
	case OpLtF:
		lessVec(d, m.f[in.A], m.f[in.B], n)
		return
	case OpLeF:
		lessEqualVec(d, m.f[in.A], m.f[in.B], n)
		return
	}
	a := m.b[in.A][:len(d)]
	if in.Op == OpNotB {
		for k := range d {
			d[k] = ^a[k]
		}
		return
	}
	b := m.b[in.B][:len(d)]
	switch in.Op {
	case OpAndB:
		for k := range d {
			d[k] = a[k] & b[k]
		}
	case OpOrB:
		for k := range d {
			d[k] = a[k] | b[k]
		}
	case OpXorB:
		for k := range d {
			d[k] = a[k] ^ b[k]
		}
	case OpSelB:
		c := m.b[in.C][:len(d)]
		for k := range d {
			d[k] = a[k]&c[k] | b[k]&^c[k]
		}
	}
}

// equalVec, lessVec and lessEqualVec compare whole words of samples, so up to 63 more than n.
func equalVec[T int64 | float64](d boolVec, a, b []T, n int) {
	for w := range (n + 63) / 64 {
		x, y := (*[64]T)(a[w*64:]), (*[64]T)(b[w*64:])
		var bits uint64
		for j := 0; j < 64; j += 8 {
			p, q := (*[8]T)(x[j:]), (*[8]T)(y[j:])
			bits = bits>>8 | (bit(p[0] == q[0])|bit(p[1] == q[1])<<1|bit(p[2] == q[2])<<2|bit(p[3] == q[3])<<3|
				bit(p[4] == q[4])<<4|bit(p[5] == q[5])<<5|bit(p[6] == q[6])<<6|bit(p[7] == q[7])<<7)<<56
		}
		d[w] = bits
	}
}

func lessVec[T int64 | float64](d boolVec, a, b []T, n int) {
	for w := range (n + 63) / 64 {
		x, y := (*[64]T)(a[w*64:]), (*[64]T)(b[w*64:])
		var bits uint64
		for j := 0; j < 64; j += 8 {
			p, q := (*[8]T)(x[j:]), (*[8]T)(y[j:])
			bits = bits>>8 | (bit(p[0] < q[0])|bit(p[1] < q[1])<<1|bit(p[2] < q[2])<<2|bit(p[3] < q[3])<<3|
				bit(p[4] < q[4])<<4|bit(p[5] < q[5])<<5|bit(p[6] < q[6])<<6|bit(p[7] < q[7])<<7)<<56
		}
		d[w] = bits
	}
}

func lessEqualVec[T int64 | float64](d boolVec, a, b []T, n int) {
	for w := range (n + 63) / 64 {
		x, y := (*[64]T)(a[w*64:]), (*[64]T)(b[w*64:])
		var bits uint64
		for j := 0; j < 64; j += 8 {
			p, q := (*[8]T)(x[j:]), (*[8]T)(y[j:])
			bits = bits>>8 | (bit(p[0] <= q[0])|bit(p[1] <= q[1])<<1|bit(p[2] <= q[2])<<2|bit(p[3] <= q[3])<<3|
				bit(p[4] <= q[4])<<4|bit(p[5] <= q[5])<<5|bit(p[6] <= q[6])<<6|bit(p[7] <= q[7])<<7)<<56
		}
		d[w] = bits
	}
}

// bit compiles to a SETcc or CSET, not to a branch.
func bit(c bool) uint64 {
	var n uint64
	if c {
		n = 1
	}
	return n
}
