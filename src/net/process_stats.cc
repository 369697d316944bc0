// SPDX-License-Identifier: Apache-2.0
#include "net/process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace parley::net {

namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

std::uint64_t read_resident_bytes() {
    std::uint64_t total_pages = 0;
    std::uint64_t resident_pages = 0;
    if (!(std::ifstream("/proc/self/statm") >> total_pages >> resident_pages)) return 0;
    return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

ProcessStats read_process_stats() {
    ProcessStats stats;
    stats.resident_bytes = read_resident_bytes();
    std::error_code code;
    for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", code);
         !code && entry != std::filesystem::directory_iterator(); entry.increment(code))
        ++stats.open_descriptors;
    // One of them was the list itself.
    if (stats.open_descriptors > 0) --stats.open_descriptors;
    rlimit limit = {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) stats.descriptors_max = limit.rlim_cur;
    rusage usage = {};
    if (::getrusage(RUSAGE_SELF, &usage) == 0)
        stats.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    return stats;
}

}  // namespace parley::net
