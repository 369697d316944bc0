// SPDX-License-Identifier: Apache-2.0
// Questions from any JSON: what is accepted passes the rules again unchanged and survives the
// store; what is refused says where.
#include <cstdint>

#include "base/assert.h"
#include "core/limits.h"
#include "core/questions.h"
#include "core/record.h"
#include "core/test_asks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const auto document = json::parse({reinterpret_cast<const char*>(data), size});
    if (!document) return 0;
    for (const Profile& profile : {kStrictProfile, kOpenProfile}) {
        auto questions = read_questions(*document, profile);
        if (!questions) {
            ASSERT(!questions.error().faults.empty());
            ASSERT(questions.error().faults.size() <= limits::kFaultsMax);
            continue;
        }
        const auto again = check_questions(*questions, profile);
        ASSERT(again.has_value() && *again == *questions);
        AskSpec spec;
        spec.questions = std::move(*questions);
        const auto stored = spec_from_record(to_record(spec));
        ASSERT(stored.has_value() && *stored == spec);
    }
    return 0;
}
