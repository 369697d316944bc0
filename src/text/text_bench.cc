// SPDX-License-Identifier: Apache-2.0
// What a document costs to read, to write and to show: a question as it comes from an agent, and
// the small records of which a store loads a million.
#include <benchmark/benchmark.h>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>

#include "base/assert.h"
#include "text/json.h"
#include "text/safe_text.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {
namespace {

void write_question(json::Writer& out, std::string_view text) {
    out.begin_object().field("question", text).field("header", "Database");
    out.field_bool("multiSelect", false).key("options").begin_array();
    for (const std::string_view label : {"PostgreSQL (Recommended)", "SQLite", "DynamoDB"}) {
        out.begin_object()
            .field("label", label)
            .field("description", "Relational, with transactions, well known to the whole team")
            .end_object();
    }
    out.end_array().end_object();
}

void write_ask(std::string& text) {
    json::Writer out(text);
    out.begin_object()
        .field("id", "que_01jcqz6m4v8m3p5t7w9y1a2b3c")
        .field_int("created", 1794751402);
    out.key("questions").begin_array();
    write_question(out, "Which database should the \"orders\" service use?\nIt has to scale.");
    write_question(out, "And which one should the session cache use, if any at all?");
    out.end_array().end_object();
}

void write_record(std::string& text) {
    json::Writer(text)
        .begin_object()
        .field("session", "ses_01jcqz6m4v8m3p5t7w9y1a2b3c")
        .field_int("at", 1794751402123)
        .field("outcome", "answered")
        .field("by", "alice")
        .end_object();
}

std::string ask_text() {
    std::string text;
    write_ask(text);
    return text;
}

std::string record_text() {
    std::string text;
    write_record(text);
    return text;
}

void count_bytes(benchmark::State& state, std::size_t bytes) {
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void parse(benchmark::State& state, const std::string& text) {
    for (auto _ : state) benchmark::DoNotOptimize(json::parse(text));
    count_bytes(state, text.size());
}
BENCHMARK_CAPTURE(parse, ask, ask_text());
BENCHMARK_CAPTURE(parse, record, record_text());

void parse_into_arena(benchmark::State& state, const std::string& text) {
    std::array<unsigned char, 16384> buffer;
    boost::json::monotonic_resource arena(buffer.data(), buffer.size());
    for (auto _ : state) {
        benchmark::DoNotOptimize(json::parse_into(text, &arena));
        arena.release();
    }
    count_bytes(state, text.size());
}
BENCHMARK_CAPTURE(parse_into_arena, ask, ask_text());
BENCHMARK_CAPTURE(parse_into_arena, record, record_text());

void parse_by_boost(benchmark::State& state, const std::string& text) {
    for (auto _ : state) benchmark::DoNotOptimize(boost::json::parse(text));
    count_bytes(state, text.size());
}
BENCHMARK_CAPTURE(parse_by_boost, ask, ask_text());
BENCHMARK_CAPTURE(parse_by_boost, record, record_text());

void serialize(benchmark::State& state, const std::string& text) {
    const auto value = json::parse(text);
    for (auto _ : state) benchmark::DoNotOptimize(json::serialize(*value));
    count_bytes(state, text.size());
}
BENCHMARK_CAPTURE(serialize, ask, ask_text());

void serialize_by_boost(benchmark::State& state, const std::string& text) {
    const auto value = boost::json::parse(text);
    for (auto _ : state) benchmark::DoNotOptimize(boost::json::serialize(value));
    count_bytes(state, text.size());
}
BENCHMARK_CAPTURE(serialize_by_boost, ask, ask_text());

void write(benchmark::State& state, void (*write_document)(std::string&)) {
    std::string text;
    for (auto _ : state) {
        text.clear();
        write_document(text);
        benchmark::DoNotOptimize(text.data());
    }
    count_bytes(state, text.size());
}
BENCHMARK_CAPTURE(write, ask, write_ask);
BENCHMARK_CAPTURE(write, record, write_record);

void validate_utf8(benchmark::State& state) {
    const std::string text = ask_text();
    for (auto _ : state) benchmark::DoNotOptimize(utf8::is_valid(text));
    count_bytes(state, text.size());
}
BENCHMARK(validate_utf8);

void escape(benchmark::State& state) {
    const std::string text = ask_text();
    for (auto _ : state) benchmark::DoNotOptimize(escape_unsafe(text));
    count_bytes(state, text.size());
}
BENCHMARK(escape);

void wrap_to_80(benchmark::State& state) {
    const std::string text = ask_text();
    for (auto _ : state) benchmark::DoNotOptimize(wrap(text, 80));
    count_bytes(state, text.size());
}
BENCHMARK(wrap_to_80);

}  // namespace
}  // namespace parley

BENCHMARK_MAIN();
