// Package bench measures the program on the machine it runs on: how fast memory is read, what share of that the engine
// reaches, how it compares with the same definition written as a plain loop, what each stage from file to picture costs,
// and where a GPU would pay. It measures and describes; printing is its caller's.
//
// What is compared is measured in turns, round after round, so that whatever else the machine does weighs on all alike,
// and reported as medians with the extremes. Work of one core is timed by the CPU time the process took, where the system
// tells it finely enough: other programs then make caches and memory slower, but are not counted. Work of several cores
// is timed by the clock.
package bench
