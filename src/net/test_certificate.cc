// SPDX-License-Identifier: Apache-2.0
#include "net/test_certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>

#include "base/assert.h"
#include "net/test_support.h"

namespace parley::net::testing {

namespace {

void add_extension(X509* certificate, int kind, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
    ASSERT(extension != nullptr);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

}  // namespace

TlsFiles write_certificate(const std::string& name) {
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, void (*)(X509*)> certificate(X509_new(), X509_free);
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    add_extension(certificate.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    ASSERT(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
    TlsFiles files{.certificate = temporary_path("cert.pem"), .key = temporary_path("key.pem")};
    std::FILE* out = std::fopen(files.certificate.c_str(), "we");
    PEM_write_X509(out, certificate.get());
    std::fclose(out);
    out = std::fopen(files.key.c_str(), "we");
    PEM_write_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(out);
    return files;
}

}  // namespace parley::net::testing
