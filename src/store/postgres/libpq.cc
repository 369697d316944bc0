// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/libpq.h"

#include <dlfcn.h>

#include <type_traits>

namespace parley::postgres {

namespace {

constexpr const char* kLibrary = "libpq.so.5";

Result<Libpq> load() {
    void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return reject(ErrorCode::unsupported,
                      "a store of PostgreSQL needs its client library, {}, which cannot be loaded. "
                      "To fix it: install the package libpq5",
                      kLibrary);
    Libpq table;
    const char* missing = nullptr;
    const auto find = [&](auto& function, const char* name) {
        void* found = ::dlsym(library, name);
        if (found == nullptr) missing = name;
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    };
    find(table.clear, "PQclear");
    find(table.cmd_tuples, "PQcmdTuples");
    find(table.connectdb_params, "PQconnectdbParams");
    find(table.consume_input, "PQconsumeInput");
    find(table.db, "PQdb");
    find(table.enter_pipeline_mode, "PQenterPipelineMode");
    find(table.error_message, "PQerrorMessage");
    find(table.finish, "PQfinish");
    find(table.flush, "PQflush");
    find(table.freemem, "PQfreemem");
    find(table.get_result, "PQgetResult");
    find(table.get_is_null, "PQgetisnull");
    find(table.get_length, "PQgetlength");
    find(table.get_value, "PQgetvalue");
    find(table.host, "PQhost");
    find(table.is_busy, "PQisBusy");
    find(table.notifies, "PQnotifies");
    find(table.ntuples, "PQntuples");
    find(table.pipeline_sync, "PQpipelineSync");
    find(table.result_error_field, "PQresultErrorField");
    find(table.result_status, "PQresultStatus");
    find(table.send_prepare, "PQsendPrepare");
    find(table.send_query_params, "PQsendQueryParams");
    find(table.send_query_prepared, "PQsendQueryPrepared");
    find(table.set_notice_processor, "PQsetNoticeProcessor");
    find(table.set_nonblocking, "PQsetnonblocking");
    find(table.socket, "PQsocket");
    find(table.status, "PQstatus");
    find(table.transaction_status, "PQtransactionStatus");
    find(table.backend_pid, "PQbackendPID");
    if (missing != nullptr)
        return reject(
            ErrorCode::unsupported,
            "{} has no {}: it is older than version 14. To fix it: install a newer libpq5",
            kLibrary, missing);
    return table;
}

}  // namespace

Result<const Libpq*> load_libpq() {
    static const Result<Libpq> table = load();
    if (!table) return reject(table.error());
    return &*table;
}

}  // namespace parley::postgres
