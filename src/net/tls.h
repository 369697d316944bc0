// SPDX-License-Identifier: Apache-2.0
// TLS 1.2 and 1.3 by OpenSSL. A server's context can read its certificate again while connections
// stay up; a client's verifies the server's name against the system's authorities or a given file.
// Errors name the file. No key material is ever in a message.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

struct ssl_ctx_st;

namespace parley::net {

struct TlsFiles {
    std::string certificate;  // PEM, the chain with the server's own first
    std::string key;          // PEM
};

class TlsServer {
public:
    [[nodiscard]] static Result<std::shared_ptr<TlsServer>> load(TlsFiles files);
    // Reads the files again. On failure the certificate in use stays.
    [[nodiscard]] Result<void> reload();
    const TlsFiles& files() const { return files_; }

    // What new connections use.
    std::shared_ptr<ssl_ctx_st> context() const { return context_; }

private:
    TlsServer(TlsFiles files, std::shared_ptr<ssl_ctx_st> context)
        : files_(std::move(files)), context_(std::move(context)) {}

    TlsFiles files_;
    std::shared_ptr<ssl_ctx_st> context_;
};

struct TlsTrust {
    std::string authority_file = {};  // PEM; "" = the system's
    enum class Verify : std::uint8_t { server_name, nothing } verify = Verify::server_name;
};

class TlsClient {
public:
    [[nodiscard]] static Result<std::shared_ptr<TlsClient>> create(TlsTrust trust);

    std::shared_ptr<ssl_ctx_st> context() const { return context_; }
    TlsTrust::Verify verify() const { return verify_; }

private:
    TlsClient(std::shared_ptr<ssl_ctx_st> context, TlsTrust::Verify verify)
        : context_(std::move(context)), verify_(verify) {}

    std::shared_ptr<ssl_ctx_st> context_;
    TlsTrust::Verify verify_;
};

}  // namespace parley::net
