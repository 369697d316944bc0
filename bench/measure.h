// SPDX-License-Identifier: Apache-2.0
// What benchmarks of servers share: cores, CPU time, memory, plain connections.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace parley::bench {

using BenchClock = std::chrono::steady_clock;

inline double seconds_since(BenchClock::time_point begin) {
    return std::chrono::duration<double>(BenchClock::now() - begin).count();
}

// The calling thread, and what it starts.
void pin_to(unsigned core);

double cpu_seconds(clockid_t clock);
double thread_cpu_seconds();
clockid_t cpu_clock_of(std::thread& thread);
clockid_t cpu_clock_of_process(pid_t pid);

double resident_mib(pid_t pid);

// As many descriptors as the system lets us have.
void raise_descriptor_limit();

// A connection on loopback, without Nagle's delay.
int connect_to(std::uint16_t port);

}  // namespace parley::bench
