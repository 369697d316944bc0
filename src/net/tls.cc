// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace parley::net {

namespace {

// For TLS 1.2; TLS 1.3 has only good ones. Forward secrecy and authenticated encryption.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!MD5:!DSS";
constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

std::string openssl_reason() {
    const unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    return reason != nullptr ? reason : "unknown reason";
}

std::shared_ptr<ssl_ctx_st> new_context(const SSL_METHOD* method) {
    std::shared_ptr<ssl_ctx_st> context(SSL_CTX_new(method), SSL_CTX_free);
    ASSERT(context != nullptr);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context.get(), kCiphers);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                           SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                        SSL_MODE_RELEASE_BUFFERS);
    return context;
}

// A missing or unreadable file gets the plain reason, not OpenSSL's.
Result<void> check_readable(const std::string& path, const char* what) {
    std::FILE* file = std::fopen(path.c_str(), "re");
    if (file == nullptr) {
        return reject(ErrorCode::invalid, "cannot read the {} {}: {}", what, path,
                      std::strerror(errno));
    }
    std::fclose(file);
    return {};
}

// Where other systems than the one that OpenSSL was built for keep whom they trust.
constexpr std::array kAuthorityFiles = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Arch, Gentoo
    "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL
    "/etc/ssl/ca-bundle.pem",                             // openSUSE
    "/etc/ssl/cert.pem",                                  // Alpine
};

bool can_read(const char* path) {
    return ::access(path, R_OK) == 0;
}

// A program that has OpenSSL inside it brings the places of the system that it was built on.
bool knows_this_system() {
    return std::getenv(X509_get_default_cert_file_env()) != nullptr ||
           std::getenv(X509_get_default_cert_dir_env()) != nullptr ||
           can_read(X509_get_default_cert_file()) || can_read(X509_get_default_cert_dir());
}

void trust_the_systems(ssl_ctx_st* context) {
    SSL_CTX_set_default_verify_paths(context);
    if (knows_this_system()) return;
    for (const char* file : kAuthorityFiles)
        if (can_read(file) && SSL_CTX_load_verify_file(context, file) == 1) return;
}

int choose_http11(SSL*, const unsigned char** out, unsigned char* out_bytes,
                  const unsigned char* in, unsigned int in_bytes, void*) {
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, out_bytes, kHttp11, sizeof(kHttp11), in, in_bytes) !=
        OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_NOACK;
    }
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

Result<std::shared_ptr<ssl_ctx_st>> load_context(const TlsFiles& files) {
    CHECK_OK(check_readable(files.certificate, "certificate"));
    CHECK_OK(check_readable(files.key, "key"));
    auto context = new_context(TLS_server_method());
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
        return reject(ErrorCode::invalid, "{} holds no PEM certificate: {}", files.certificate,
                      openssl_reason());
    }
    if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
        return reject(ErrorCode::invalid, "{} is not the PEM key of {}: {}", files.key,
                      files.certificate, openssl_reason());
    }
    if (SSL_CTX_check_private_key(context.get()) != 1) {
        return reject(ErrorCode::invalid, "the key {} does not belong to the certificate {}",
                      files.key, files.certificate);
    }
    SSL_CTX_set_alpn_select_cb(context.get(), choose_http11, nullptr);
    return context;
}

}  // namespace

Result<std::shared_ptr<TlsServer>> TlsServer::load(TlsFiles files) {
    TRY(context, load_context(files));
    return std::shared_ptr<TlsServer>(new TlsServer(std::move(files), std::move(context)));
}

Result<void> TlsServer::reload() {
    TRY(context, load_context(files_));
    context_ = std::move(context);
    return {};
}

Result<std::shared_ptr<TlsClient>> TlsClient::create(TlsTrust trust) {
    auto context = new_context(TLS_client_method());
    if (trust.verify == TlsTrust::Verify::server_name) {
        SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
        ERR_clear_error();
        if (trust.authority_file.empty()) {
            trust_the_systems(context.get());
        } else {
            CHECK_OK(check_readable(trust.authority_file, "authority file"));
            if (SSL_CTX_load_verify_file(context.get(), trust.authority_file.c_str()) != 1) {
                return reject(ErrorCode::invalid, "{} holds no PEM certificate: {}",
                              trust.authority_file, openssl_reason());
            }
        }
    }
    return std::shared_ptr<TlsClient>(new TlsClient(std::move(context), trust.verify));
}

}  // namespace parley::net
