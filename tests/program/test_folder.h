// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own, for stores and sockets; gone with it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace parley::program {

class TestFolder {
public:
    TestFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "parley-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) folder_ = name;
    }
    ~TestFolder() { std::filesystem::remove_all(folder_); }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    std::string path(std::string_view name) const { return (folder_ / name).string(); }
    std::string line_of(std::string_view name) const {
        std::ifstream file(folder_ / name);
        std::string line;
        std::getline(file, line);
        return line;
    }

private:
    std::filesystem::path folder_;
};

}  // namespace parley::program
