// SPDX-License-Identifier: Apache-2.0
// Metrics in the text format of Prometheus (0.0.4): each with its help and its type. Pure.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/histogram.h"

namespace parley {

class MetricsText {
public:
    template <class Value>
    void gauge(std::string_view name, std::string_view help, Value value) {
        begin(name, "gauge", help);
        add(name, {}, value);
    }
    template <class Value>
    void counter(std::string_view name, std::string_view help, Value value) {
        begin(name, "counter", help);
        add(name, {}, value);
    }
    void histogram(std::string_view name, std::string_view help, const Histogram& times) {
        begin(name, "histogram", help);
        const std::string bucket = fmt::format("{}_bucket", name);
        for (std::size_t i = 0; i < Histogram::kBounds.size(); ++i)
            add(bucket, fmt::format("le=\"{}\"", Histogram::kBounds[i]), times.up_to(i));
        add(bucket, "le=\"+Inf\"", times.count());
        add(fmt::format("{}_sum", name), {}, times.sum());
        add(fmt::format("{}_count", name), {}, times.count());
    }

    // A metric of several samples, which differ in their labels: first this, then each of them.
    void begin(std::string_view name, std::string_view type, std::string_view help) {
        fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help,
                       type);
    }
    template <class Value>
    void add(std::string_view name, std::string_view labels, Value value) {
        text_ += name;
        if (!labels.empty()) fmt::format_to(std::back_inserter(text_), "{{{}}}", labels);
        fmt::format_to(std::back_inserter(text_), " {}\n", value);
    }

    std::string take() && { return std::move(text_); }

private:
    std::string text_;
};

}  // namespace parley
