// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's client library, loaded when the first store of that kind is opened: a program that
// keeps its asks elsewhere needs none. Functions are called through the table, by their own names.
// Internal to the PostgreSQL engine.
#pragma once

#include <libpq-fe.h>

#include "base/result.h"

namespace parley::postgres {

struct Libpq {
    decltype(&::PQclear) clear = nullptr;
    decltype(&::PQcmdTuples) cmd_tuples = nullptr;
    decltype(&::PQconnectdbParams) connectdb_params = nullptr;
    decltype(&::PQconsumeInput) consume_input = nullptr;
    decltype(&::PQdb) db = nullptr;
    decltype(&::PQenterPipelineMode) enter_pipeline_mode = nullptr;
    decltype(&::PQerrorMessage) error_message = nullptr;
    decltype(&::PQfinish) finish = nullptr;
    decltype(&::PQflush) flush = nullptr;
    decltype(&::PQfreemem) freemem = nullptr;
    decltype(&::PQgetResult) get_result = nullptr;
    decltype(&::PQgetisnull) get_is_null = nullptr;
    decltype(&::PQgetlength) get_length = nullptr;
    decltype(&::PQgetvalue) get_value = nullptr;
    decltype(&::PQhost) host = nullptr;
    decltype(&::PQisBusy) is_busy = nullptr;
    decltype(&::PQnotifies) notifies = nullptr;
    decltype(&::PQntuples) ntuples = nullptr;
    decltype(&::PQpipelineSync) pipeline_sync = nullptr;
    decltype(&::PQresultErrorField) result_error_field = nullptr;
    decltype(&::PQresultStatus) result_status = nullptr;
    decltype(&::PQsendPrepare) send_prepare = nullptr;
    decltype(&::PQsendQueryParams) send_query_params = nullptr;
    decltype(&::PQsendQueryPrepared) send_query_prepared = nullptr;
    decltype(&::PQsetNoticeProcessor) set_notice_processor = nullptr;
    decltype(&::PQsetnonblocking) set_nonblocking = nullptr;
    decltype(&::PQsocket) socket = nullptr;
    decltype(&::PQstatus) status = nullptr;
    decltype(&::PQtransactionStatus) transaction_status = nullptr;
    decltype(&::PQbackendPID) backend_pid = nullptr;
};

// The same for the whole process, and never unloaded. An Error names the package that is missing.
[[nodiscard]] Result<const Libpq*> load_libpq();

}  // namespace parley::postgres
