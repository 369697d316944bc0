// SPDX-License-Identifier: Apache-2.0
// Events name their ask, so that its row is the one place where its texts are.
#include <string>
#include <string_view>
#include <utility>

#include "core/content.h"
#include "core/record.h"
#include "store/postgres/writer.h"

namespace parley::postgres {

// Its row is locked: nobody settles or blanks it meanwhile.
Result<ChangeOutcome> Writer::apply_one(const DeleteContent& change) {
    TRY(standing, reader_.find_ask(change.ask));
    if (!standing) return ChangeOutcome{Verdict::missing};
    if (standing->is_pending()) return ChangeOutcome{Verdict::conflict, standing};
    if (standing->spec->content_deleted_at) return ChangeOutcome{Verdict::existing, standing};
    AskPtr blank = without_content(*standing, change.at);
    const std::string spec = to_record(*blank->spec);
    const std::string settlement = to_record(*blank->settlement);
    CHECK_OK(connection_.run(sql_.blank_ask, blank->id, std::string_view(spec),
                             std::string_view(settlement)));
    add_event({.type = stored::EventType::content_deleted,
               .at = change.at,
               .session = blank->session,
               .ask = blank->id,
               .doc = blank->spec->asker},
              ContentDeleted{blank->id, blank->spec->asker});
    return ChangeOutcome{Verdict::applied, std::move(blank)};
}

}  // namespace parley::postgres
