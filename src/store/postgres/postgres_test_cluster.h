// SPDX-License-Identifier: Apache-2.0
// For tests only: a PostgreSQL server of the test's own, in a folder of its own, reached by a Unix
// socket alone, and gone at the end. It runs as another user where the test is root, which the
// server refuses to be.
#pragma once

#include <sys/types.h>

#include <string>

namespace parley {

class PostgresCluster {
public:
    PostgresCluster();
    ~PostgresCluster();
    PostgresCluster(const PostgresCluster&) = delete;
    PostgresCluster& operator=(const PostgresCluster&) = delete;

    // One for all tests of a program.
    static PostgresCluster& shared();

    // Of a new, empty database.
    std::string make_database();
    void drop_database(const std::string& url);
    std::string url(const std::string& database) const;
    static std::string database_of(const std::string& url);
    // As the server's own administrator; a failure fails the test.
    void run_sql(const std::string& sql, const std::string& database = "postgres") const;

    // From now on nobody comes in without.
    void demand_passwords();
    void start();
    void stop();  // at once, as a crash would

private:
    std::string folder_;
    pid_t server_ = -1;
    int output_ = -1;
    int databases_ = 0;
};

}  // namespace parley
