package inflate
import ("testing";"syscall";"runtime";"fmt";"io";"bytes";"compress/zlib";"math/rand/v2"
kz "github.com/klauspost/compress/zlib")
func cpu() float64 { var r syscall.Rusage; syscall.Getrusage(1,&r); return float64(r.Utime.Sec)+float64(r.Utime.Usec)/1e6+float64(r.Stime.Sec)+float64(r.Stime.Usec)/1e6}
func TestTmpCPU(t *testing.T){
 runtime.LockOSThread()
 for name,data:=range kinds(rand.New(rand.NewPCG(1,2)),8<<20){
  z:=compress(t,data,6)
  best:=func(f func()) float64 { b:=1e9; for range 5 {s:=cpu(); f(); if d:=cpu()-s; d<b {b=d}}; return float64(len(data))/b/1e6}
  r:=NewReader(nil)
  a:=best(func(){r.ResetBytes(z); io.Copy(io.Discard,r)})
  s:=best(func(){q,_:=zlib.NewReader(bytes.NewReader(z)); io.Copy(io.Discard,q)})
  k:=best(func(){q,_:=kz.NewReader(bytes.NewReader(z)); io.Copy(io.Discard,q)})
  fmt.Printf("%s this %.0f std %.0f kp %.0f MB/s\n",name,a,s,k)
 }
}
