// Package archtest holds the tests that keep the layers of segscan apart: who may import whom, and that libraries
// neither print, exit nor read flags.
package archtest
