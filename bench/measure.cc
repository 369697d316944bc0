// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>

#include "base/assert.h"

namespace parley::bench {

void pin_to(unsigned core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core % std::max(1U, std::thread::hardware_concurrency()), &set);
    pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

double cpu_seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double thread_cpu_seconds() {
    return cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
}

clockid_t cpu_clock_of(std::thread& thread) {
    clockid_t clock{};
    pthread_getcpuclockid(thread.native_handle(), &clock);
    return clock;
}

clockid_t cpu_clock_of_process(pid_t pid) {
    clockid_t clock{};
    ASSERT(clock_getcpuclockid(pid, &clock) == 0);
    return clock;
}

double resident_mib(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/statm", pid));
    std::size_t size = 0;
    std::size_t resident = 0;
    file >> size >> resident;
    return static_cast<double>(resident) * 4096 / (1024 * 1024);
}

void raise_descriptor_limit() {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

int connect_to(std::uint16_t port) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return descriptor;
}

}  // namespace parley::bench
