// SPDX-License-Identifier: Apache-2.0
#include "wire/http_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/properties_test.h"
#include "wire/limits.h"

namespace parley::wire {
namespace {

using ::testing::HasSubstr;

struct Outcome {
    int status = 0;  // 0: read whole
    Request request = {};
    std::string rest = {};
};

// Feeds `bytes` in pieces of the given size.
Outcome read_request(std::string_view bytes, std::size_t piece = 1'000'000,
                     ParserLimits limits = {}) {
    RequestParser parser(limits);
    while (!bytes.empty()) {
        std::string_view input = bytes.substr(0, piece);
        const std::size_t given = input.size();
        while (true) {
            const Step step = parser.step(input);
            if (step == Step::failed) return {.status = parser.fault().status};
            if (step == Step::done) {
                const std::string rest = std::string(bytes.substr(given - input.size()));
                return {.request = std::move(parser.message()), .rest = rest};
            }
            if (step == Step::need_more) break;
        }
        bytes.remove_prefix(given);
    }
    return {.status = -1};
}

std::string with_lines(std::string_view lines, std::string_view body = {}) {
    return "POST /x HTTP/1.1\r\nHost: a\r\n" + std::string(lines) + "\r\n" + std::string(body);
}

TEST(RequestParser, ReadsHeadAndBodyInPiecesOfAnySize) {
    const std::string bytes =
        "POST /v1/asks?wait=3 HTTP/1.1\r\nHost: localhost:7373\r\nX-Empty:\r\n"
        "Accept: a\r\naccept:  b \t\r\nContent-Length: 5\r\n\r\nhello";
    for (const std::size_t piece : {1U, 2U, 7U, 1000U}) {
        const Outcome outcome = read_request(bytes, piece);
        ASSERT_EQ(outcome.status, 0);
        EXPECT_EQ(outcome.request.method, Method::post);
        EXPECT_EQ(outcome.request.target, "/v1/asks?wait=3");
        EXPECT_EQ(outcome.request.body, "hello");
        EXPECT_EQ(outcome.request.fields.get("HOST"), "localhost:7373");
        EXPECT_EQ(outcome.request.fields.find("x-empty"), "");
        EXPECT_EQ(outcome.request.fields.find("x-none"), std::nullopt);
        EXPECT_EQ(outcome.request.fields.joined("Accept"), "a, b");
        EXPECT_TRUE(outcome.request.keep_alive);
        EXPECT_EQ(outcome.request.content_length, 5U);
    }
}

TEST(RequestParser, ReadsChunkedBodiesInPiecesOfAnySizeAndDropsTrailers) {
    const std::string bytes = with_lines("Transfer-Encoding: Chunked\r\n",
                                         "4\r\nWiki\r\n6;name=\"v;\\\"\"\r\npedia \r\nE\r\nin "
                                         "\r\n\r\nchunks.\r\n0\r\nX-Trailer: 1\r\n\r\nNEXT");
    for (const std::size_t piece : {1U, 2U, 3U, 5U, 11U, 1000U}) {
        const Outcome outcome = read_request(bytes, piece);
        ASSERT_EQ(outcome.status, 0) << piece;
        EXPECT_EQ(outcome.request.body, "Wikipedia in \r\n\r\nchunks.");
        EXPECT_EQ(outcome.request.fields.find("x-trailer"), std::nullopt);
        EXPECT_EQ(outcome.rest, "NEXT");
    }
}

TEST(RequestParser, LeavesPipelinedRequestsInTheInput) {
    RequestParser parser;
    const std::string bytes =
        "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n";
    std::string_view input = bytes;
    for (const auto* target : {"/1", "/2"}) {
        EXPECT_EQ(parser.step(input), Step::head);
        EXPECT_EQ(parser.step(input), Step::done);
        EXPECT_EQ(parser.message().target, target);
        EXPECT_EQ(parser.message().fields.size(), 1U);
        parser.next();
        EXPECT_FALSE(parser.started());
    }
    EXPECT_TRUE(input.empty());
}

TEST(RequestParser, KnowsWhatTheConnectionFieldMeans) {
    const auto read = [](std::string_view version, std::string_view lines) {
        return read_request("GET / HTTP/" + std::string(version) + "\r\nHost: a\r\n" +
                            std::string(lines) + "\r\n")
            .request;
    };
    EXPECT_TRUE(read("1.1", "").keep_alive);
    EXPECT_FALSE(read("1.1", "Connection: foo, Close\r\n").keep_alive);
    EXPECT_FALSE(read("1.0", "").keep_alive);
    EXPECT_TRUE(read("1.0", "Connection: Keep-Alive\r\n").keep_alive);
    EXPECT_TRUE(read("1.1", "Connection: upgrade\r\nUpgrade: websocket\r\n").wants_upgrade);
    EXPECT_FALSE(read("1.1", "Upgrade: websocket\r\n").wants_upgrade);
    EXPECT_TRUE(read("1.1", "Expect: 100-Continue\r\nContent-Length: 0\r\n").expects_continue);
}

struct Refused {
    const char* what;
    std::string bytes;
    int status = 400;
};

std::vector<Refused> smuggling_forms() {
    return {
        {"coding that only looks like chunked", with_lines("Transfer-Encoding: xchunked\r\n")},
        {"chunked twice", with_lines("Transfer-Encoding: chunked, chunked\r\n")},
        {"chunked in two fields",
         with_lines("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
        {"chunked not last", with_lines("Transfer-Encoding: chunked, gzip\r\n")},
        {"another coding first", with_lines("Transfer-Encoding: gzip, chunked\r\n")},
        {"another coding", with_lines("Transfer-Encoding: identity\r\n")},
        {"empty coding", with_lines("Transfer-Encoding:\r\n")},
        {"chunked with a parameter", with_lines("Transfer-Encoding: chunked;q=1\r\n")},
        {"chunked with a vertical tab", with_lines("Transfer-Encoding: \x0b"
                                                   "chunked\r\n")},
        {"chunked on HTTP/1.0",
         "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        {"both lengths", with_lines("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")},
        {"both lengths the other way",
         with_lines("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")},
        {"two different lengths", with_lines("Content-Length: 5\r\nContent-Length: 6\r\n")},
        {"two equal lengths", with_lines("Content-Length: 5\r\nContent-Length: 5\r\n")},
        {"a list of lengths", with_lines("Content-Length: 5, 5\r\n")},
        {"negative length", with_lines("Content-Length: -5\r\n")},
        {"signed length", with_lines("Content-Length: +5\r\n")},
        {"hex length", with_lines("Content-Length: 0x5\r\n")},
        {"empty length", with_lines("Content-Length:\r\n")},
        {"length past 64 bits", with_lines("Content-Length: 18446744073709551616\r\n")},
        {"space before the colon", with_lines("Content-Length : 5\r\n")},
        {"space in a name", with_lines("Content Length: 5\r\n")},
        {"folded line", with_lines("X: a\r\n b\r\n")},
        {"folded first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
        {"bare line feeds", "GET / HTTP/1.1\nHost: a\n\n"},
        {"one bare line feed", with_lines("X: a\nTransfer-Encoding: chunked\r\n")},
        {"bare carriage return", with_lines("X: a\rTransfer-Encoding: chunked\r\n")},
        {"NUL in a value", with_lines(std::string("X: a\0b\r\n", 8))},
        {"NUL in a name", with_lines(std::string("X\0: a\r\n", 7))},
        {"no colon", with_lines("Nonsense\r\n")},
        {"empty name", with_lines(": x\r\n")},
        {"missing Host", "GET / HTTP/1.1\r\n\r\n"},
        {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"},
        {"Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"},
        {"Host with a list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"},
        {"Host with a user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"},
        {"non-ASCII target", "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"no version", "GET /\r\nHost: a\r\n\r\n"},
        {"version 2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
        {"the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"lower-case http", "GET / http/1.1\r\nHost: a\r\n\r\n"},
        {"a TLS hello", std::string("\x16\x03\x01\x02\x00\x01", 6)},
        {"space first", " GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"endless blank lines", "\r\n\r\n\r\n\r\n\r\n\r\n"},
        {"unknown expectation", with_lines("Expect: fish\r\n"), 417},
    };
}

TEST(RequestParser, RefusesWhatTwoReadersCouldUnderstandDifferently) {
    for (const Refused& test : smuggling_forms()) {
        EXPECT_EQ(read_request(test.bytes).status, test.status) << test.what;
        EXPECT_EQ(read_request(test.bytes, 1).status, test.status) << test.what << ", bytewise";
    }
}

TEST(RequestParser, RefusesBrokenChunking) {
    const std::vector<Refused> cases = {
        {"no size", "\r\nabc\r\n0\r\n\r\n"},
        {"size that is no number", "xyz\r\n"},
        {"signed size", "+3\r\nabc\r\n0\r\n\r\n"},
        {"hex prefix", "0x3\r\nabc\r\n0\r\n\r\n"},
        {"space before the size", " 3\r\nabc\r\n0\r\n\r\n"},
        {"size past 64 bits", "10000000000000000\r\n"},
        {"data longer than its size", "3\r\nabcd\r\n0\r\n\r\n"},
        {"bare line feed after the size", "3\nabc\r\n0\r\n\r\n"},
        {"broken trailer", "0\r\nno colon\r\n\r\n"},
        {"length in the trailer", "0\r\nContent-Length: 5\r\n\r\n"},
        {"endless size line", "3;" + std::string(10'000, 'x')},
        {"larger than a body may be", "7fffffff\r\n", 413},
    };
    for (const Refused& test : cases) {
        const std::string bytes = with_lines("Transfer-Encoding: chunked\r\n", test.bytes);
        EXPECT_EQ(read_request(bytes).status, test.status) << test.what;
        EXPECT_EQ(read_request(bytes, 1).status, test.status) << test.what << ", bytewise";
    }
}

TEST(RequestParser, NamesTheLimitThatWasPassed) {
    const ParserLimits limits{
        .head_bytes_max = 1000, .target_bytes_max = 100, .fields_max = 5, .body_bytes_max = 10};
    const auto status = [&](const std::string& bytes) {
        return read_request(bytes, 64, limits).status;
    };
    EXPECT_EQ(status("GET /" + std::string(2000, 'x')), 414);
    EXPECT_EQ(status("GET /" + std::string(200, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
    EXPECT_EQ(status(with_lines("X: " + std::string(2000, 'x'))), 431);
    EXPECT_EQ(status(with_lines("A: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\nE: 1\r\n")), 431);
    EXPECT_EQ(status(with_lines("Content-Length: 11\r\n", "hello hello")), 413);
    EXPECT_EQ(status(with_lines("Content-Length: 10\r\n", "hellohello")), 0);
    EXPECT_EQ(status(with_lines("Transfer-Encoding: chunked\r\n", "6\r\nhello \r\n5\r\n")), 413);
    EXPECT_EQ(status(std::string("GET / HTTP/1.1\r\n") + std::string(5000, 'x')), 431);
}

TEST(RequestParser, ABodyThatIsMostlyFramingIsRefused) {
    std::string body;
    while (body.size() < limits::kChunkOverheadBytes + 100'000) {
        body += "1;" + std::string(1000, 'x') + "\r\ny\r\n";
    }
    EXPECT_EQ(read_request(with_lines("Transfer-Encoding: chunked\r\n", body), 65536).status, 400);
}

TEST(RequestParser, FaultsRepeatNothingOfTheMessage) {
    RequestParser parser;
    const std::string bytes = with_lines("Authorization: Bearer s3cret\r\nX s3cret\r\n");
    std::string_view input = bytes;
    ASSERT_EQ(parser.step(input), Step::failed);
    EXPECT_THAT(parser.fault().detail, ::testing::Not(HasSubstr("s3cret")));
}

// How a request is cut into pieces changes nothing of what is read, or that it is refused.
RC_GTEST_PROP(RequestParserProperty, PiecesDoNotMatter, ()) {
    auto bytes = *rc::gen::element<std::string>(
        "GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n",
        with_lines("Content-Length: 7\r\n", "1234567"),
        with_lines("Transfer-Encoding: chunked\r\n",
                   "3\r\nabc\r\n1f\r\n" + std::string(31, 'z') + "\r\n0\r\nA: b\r\n\r\n"));
    const auto place = *rc::gen::inRange<std::size_t>(0, bytes.size());
    const auto change = *rc::gen::element('\0', '\r', '\n', ' ', ':', 'z', '0', '\x80');
    if (*rc::gen::arbitrary<bool>()) bytes[place] = change;
    const Outcome whole = read_request(bytes);
    const Outcome cut = read_request(bytes, *rc::gen::inRange<std::size_t>(1, 20));
    RC_ASSERT(whole.status == cut.status);
    RC_ASSERT(whole.request.body == cut.request.body);
    RC_ASSERT(whole.rest == cut.rest);
}

TEST(ResponseParser, ReadsLengthChunksAndBodiesThatEndWithTheConnection) {
    ResponseParser parser;
    std::string_view input =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
    ASSERT_EQ(parser.step(input), Step::head);
    EXPECT_EQ(parser.head().status, 201);
    EXPECT_EQ(parser.head().reason, "Created");
    ASSERT_EQ(parser.step(input), Step::done);
    EXPECT_EQ(parser.take_body(), "ok");
    parser.next();
    ASSERT_EQ(parser.step(input), Step::head);
    ASSERT_EQ(parser.step(input), Step::need_more);
    EXPECT_EQ(parser.take_body(), "abc");
    EXPECT_EQ(parser.end_of_input(), Step::failed) << "a chunked body must be ended";
    ResponseParser until_close;
    input = "HTTP/1.1 200 OK\r\n\r\nall there is";
    ASSERT_EQ(until_close.step(input), Step::head);
    EXPECT_FALSE(until_close.head().keep_alive);
    ASSERT_EQ(until_close.step(input), Step::need_more);
    EXPECT_EQ(until_close.end_of_input(), Step::done);
    EXPECT_EQ(until_close.take_body(), "all there is");
}

TEST(ResponseParser, KnowsAnswersWithoutABody) {
    for (const auto* head : {"HTTP/1.1 204 No Content\r\n\r\n",
                             "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"}) {
        ResponseParser parser;
        std::string_view input = head;
        EXPECT_EQ(parser.step(input), Step::head);
        EXPECT_EQ(parser.step(input), Step::done);
    }
    ResponseParser parser;
    parser.expect_answer_to(Method::head);
    std::string_view input = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n";
    EXPECT_EQ(parser.step(input), Step::head);
    EXPECT_EQ(parser.step(input), Step::done);
}

TEST(ResponseParser, RefusesAmbiguousLengthsAndWhatIsNotHttp) {
    for (const std::string text :
         {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
          "HTTP/1.1 2000 OK\r\n\r\n", "\x15\x03\x01"}) {
        ResponseParser parser;
        std::string_view input = text;
        EXPECT_EQ(parser.step(input), Step::failed) << text;
    }
}

}  // namespace
}  // namespace parley::wire
