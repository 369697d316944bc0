// SPDX-License-Identifier: Apache-2.0
// The parts of an ask's document that never change, written once: an ask is told when it is opened
// and when it is settled, to its asker and to who settled it. Bounded; what is forgotten is written
// again. Belongs to one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/limits.h"
#include "parley/values.h"

namespace parley::native {

class AskTexts {
public:
    // As JSON; valid until the next call. An opening is what write_opening writes, as an object; a
    // spec is that of one ask.
    std::string_view opening(const Ask& ask);
    std::string_view settlement(const std::shared_ptr<const Settlement>& settlement);

private:
    // The place of a value is by its address. A weak pointer says whether it is still that value:
    // no other can have the same owner.
    template <class T>
    class Kept {
    public:
        // `write` appends to the string that it is given.
        template <class Write>
        std::string_view find_or_write(const std::shared_ptr<const T>& value, Write write);

    private:
        struct Slot {
            std::weak_ptr<const T> value;
            std::string text;
        };
        std::vector<Slot> slots_ = std::vector<Slot>(limits::kAskTextsKept);
        std::string long_;  // the last one that was too long to be kept
    };

    Kept<AskSpec> openings_;
    Kept<Settlement> settlements_;
};

}  // namespace parley::native
