// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over files instead of random bytes: each argument is a file or a folder of
// files. Used by every build that is not a libFuzzer build, so that the corpora are plain tests.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

bool run_file(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return false;
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    int runs = 0;
    for (int i = 1; i < argc; ++i) {
        const std::filesystem::path path = argv[i];
        if (std::filesystem::is_directory(path)) {
            for (const auto& entry : std::filesystem::directory_iterator(path))
                runs += run_file(entry.path()) ? 1 : 0;
        } else {
            runs += run_file(path) ? 1 : 0;
        }
    }
    std::printf("%d inputs replayed\n", runs);
    // A fuzzer without a corpus tests nothing.
    return runs > 0 ? 0 : 1;
}
