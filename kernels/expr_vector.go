package kernels

import "math"

// exprBlock is the number of samples an instruction runs over at once: registers of a few expressions stay in the
// first-level cache, and the cost of choosing an instruction is spread thin.
const (
	exprBlock = 1024
	exprWords = exprBlock / 64
)

type (
	intVec   = []int64   // exprBlock values
	floatVec = []float64 // exprBlock values
	boolVec  = []uint64  // exprWords words; bits beyond the samples of a short block hold no meaning
)

// exec runs an instruction that needs no source on the first n samples of the registers. bad are the samples that it
// trapped at, if it can and any did (guards are not looked at).
func (m *exprMachine) exec(in *Instr, n int) (bad boolVec) {
	switch in.Op {
	case OpConstI, OpConstF, OpConstB:
		m.constant(in)
	case OpAddI, OpSubI, OpMulI, OpNegI, OpAbsI, OpMinI, OpMaxI, OpAndI, OpOrI, OpXorI, OpSelI, OpIntF:
		m.execInt(in, n)
	case OpModI, OpShlI, OpShrI:
		return m.execTrapping(in, n)
	case OpEqI, OpLtI, OpLeI, OpEqF, OpLtF, OpLeF, OpNotB, OpAndB, OpOrB, OpXorB, OpSelB:
		m.execBool(in, n)
	default:
		m.execFloat(in, n)
	}
	return nil
}

// constant fills a whole register.
func (m *exprMachine) constant(in *Instr) {
	switch in.Op {
	case OpConstI:
		fillVec(m.i[in.Dst], int64(in.Imm))
	case OpConstF:
		fillVec(m.f[in.Dst], math.Float64frombits(in.Imm))
	default:
		fillVec(m.b[in.Dst], -in.Imm)
	}
}

func fillVec[T any](d []T, v T) {
	for k := range d {
		d[k] = v
	}
}

func (m *exprMachine) execInt(in *Instr, n int) {
	d := m.i[in.Dst][:n]
	if in.Op == OpIntF {
		a := m.f[in.A][:len(d)]
		for k := range d {
			d[k] = truncate(a[k])
		}
		return
	}
	a := m.i[in.A][:len(d)]
	switch in.Op {
	case OpNegI:
		for k := range d {
			d[k] = -a[k]
		}
		return
	case OpAbsI:
		for k := range d {
			d[k] = max(a[k], -a[k])
		}
		return
	}
	b := m.i[in.B][:len(d)]
	switch in.Op {
	case OpAddI:
		for k := range d {
			d[k] = a[k] + b[k]
		}
	case OpSubI:
		for k := range d {
			d[k] = a[k] - b[k]
		}
	case OpMulI:
		for k := range d {
			d[k] = a[k] * b[k]
		}
	case OpMinI:
		for k := range d {
			d[k] = min(a[k], b[k])
		}
	case OpMaxI:
		for k := range d {
			d[k] = max(a[k], b[k])
		}
	case OpAndI:
		for k := range d {
			d[k] = a[k] & b[k]
		}
	case OpOrI:
		for k := range d {
			d[k] = a[k] | b[k]
		}
	case OpXorI:
		for k := range d {
			d[k] = a[k] ^ b[k]
		}
	case OpSelI:
		c := m.b[in.C]
		for k := range d {
			d[k] = b[k] ^ (a[k]^b[k])&spread(c, k)
		}
	}
}

// spread is all ones where bit k of c is set, else zero.
func spread(c boolVec, k int) int64 { return -int64(c[k/64] >> (k % 64) & 1) }

// truncate is int64(x) as amd64 has it, on any machine: the language leaves open what does not fit.
func truncate(x float64) int64 {
	if x >= -1<<63 && x < 1<<63 {
		return int64(x)
	}
	return math.MinInt64
}

func (m *exprMachine) execTrapping(in *Instr, n int) (bad boolVec) {
	d := m.i[in.Dst][:n]
	a, b := m.i[in.A][:len(d)], m.i[in.B][:len(d)]
	trapped := false
	fail := func(k int) {
		if !trapped {
			trapped = true
			clear(m.bad)
		}
		m.bad[k/64] |= 1 << (k % 64)
	}
	switch in.Op {
	case OpModI:
		for k := range d {
			if b[k] == 0 {
				fail(k)
				continue
			}
			d[k] = a[k] % b[k]
		}
	case OpShlI:
		for k := range d {
			if b[k] < 0 {
				fail(k)
				continue
			}
			d[k] = a[k] << b[k]
		}
	case OpShrI:
		for k := range d {
			if b[k] < 0 {
				fail(k)
				continue
			}
			d[k] = a[k] >> b[k]
		}
	}
	if trapped {
		return m.bad
	}
	return nil
}

func (m *exprMachine) execFloat(in *Instr, n int) {
	d := m.f[in.Dst][:n]
	if in.Op == OpFloatI {
		a := m.i[in.A][:len(d)]
		for k := range d {
			d[k] = float64(a[k])
		}
		return
	}
	a := m.f[in.A][:len(d)]
	switch in.Op {
	case OpNegF:
		for k := range d {
			d[k] = -a[k]
		}
		return
	case OpAbsF:
		for k := range d {
			x := a[k]
			d[k] = math.Float64frombits(math.Float64bits(x) ^ bit(x < 0)<<63)
		}
		return
	case OpFloorF:
		for k := range d {
			d[k] = math.Floor(a[k])
		}
		return
	case OpCeilF:
		for k := range d {
			d[k] = math.Ceil(a[k])
		}
		return
	case OpRoundF:
		for k := range d {
			d[k] = math.Round(a[k])
		}
		return
	case OpPowF:
		powVec(d, a, math.Float64frombits(in.Imm))
		return
	}
	b := m.f[in.B][:len(d)]
	switch in.Op {
	case OpAddF:
		for k := range d {
			d[k] = a[k] + b[k]
		}
	case OpSubF:
		for k := range d {
			d[k] = a[k] - b[k]
		}
	case OpMulF:
		for k := range d {
			d[k] = a[k] * b[k]
		}
	case OpDivF:
		for k := range d {
			d[k] = a[k] / b[k]
		}
	case OpMinF:
		for k := range d {
			d[k] = pickFloat(a[k], b[k], bit(a[k] > b[k]))
		}
	case OpMaxF:
		for k := range d {
			d[k] = pickFloat(a[k], b[k], bit(a[k] < b[k]))
		}
	case OpSelF:
		c := m.b[in.C]
		for k := range d {
			d[k] = pickFloat(b[k], a[k], c[k/64]>>(k%64)&1)
		}
	}
}

// pickFloat is y if second is 1, x if it is 0, without a branch that samples would make hard to foresee.
func pickFloat(x, y float64, second uint64) float64 {
	p, q := math.Float64bits(x), math.Float64bits(y)
	return math.Float64frombits(p ^ (p^q)&-second)
}

// powVec is math.Pow. A square is one rounded multiplication of the significands there too, so that x*x is the same
// unless it leaves the range of normal numbers.
func powVec(d, a floatVec, y float64) {
	if y != 2 {
		for k := range d {
			d[k] = math.Pow(a[k], y)
		}
		return
	}
	const least = 0x1p-1000
	for k := range d {
		x := a[k]
		p := x * x
		if !(p >= least) {
			p = math.Pow(x, y)
		}
		d[k] = p
	}
}
