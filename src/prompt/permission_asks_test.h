// SPDX-License-Identifier: Apache-2.0
// Permission asks as agents make them, for tests of what is shown.
#pragma once

#include <string>
#include <utility>

#include "core/permission.h"
#include "parley/values.h"

namespace parley::test {

inline AskSpec permission_ask(PermissionRequest request) {
    return {
        .questions = {{.text = "May Claude Code use " + request.tool + "?",
                       .header = "Permission",
                       .options = {{std::string(permission::kAllowOnce), "This call and no other"},
                                   {std::string(permission::kAllowForSession),
                                    "Every use of " + request.tool + " until it ends"},
                                   {std::string(permission::kDeny),
                                    "Claude is told so, with your reason"}},
                       .custom = false}},
        .permission = std::move(request),
        .agent = "claude"};
}

// Ten lines.
inline AskSpec bash_ask() {
    return permission_ask(
        {.tool = "Bash",
         .input = R"({"command":"set -euo pipefail\nfor ns in staging-old staging-tmp; do\n)"
                  R"(  kubectl --context prod-eu-central-1 get all -n \"$ns\"\n)"
                  R"(  kubectl --context prod-eu-central-1 delete namespace \"$ns\" \\\n)"
                  R"(    --wait=false --grace-period=0 --force\ndone\n)"
                  R"(kubectl --context prod-eu-central-1 get pv | awk '/Released/ {print $1}' |\n)"
                  R"(  xargs -r kubectl --context prod-eu-central-1 delete pv\n)"
                  R"(helm --kube-context prod-eu-central-1 uninstall old-gateway\n)"
                  R"(echo done","description":"Remove the old staging namespaces"})",
         .summary = "set -euo pipefail; for ns in staging-old staging-tmp; do kubectl --context "
                    "prod-eu-central-1 get all…"});
}

inline AskSpec write_ask() {
    return permission_ask(
        {.tool = "Write",
         .input = R"({"file_path":"/srv/shop/deploy/values.yaml","content":"replicas: 3\n)"
                  R"(image:\n  name: shop\n  tag: \"2.4.1\"\n"})",
         .diff = "--- /dev/null\n+++ /srv/shop/deploy/values.yaml\n@@ -0,0 +1,4 @@\n+replicas: 3\n"
                 "+image:\n+  name: shop\n+  tag: \"2.4.1\"\n",
         .summary = "/srv/shop/deploy/values.yaml"});
}

inline AskSpec edit_ask() {
    return permission_ask(
        {.tool = "Edit",
         .input = R"({"file_path":"/srv/shop/src/payment/retry.ts",)"
                  R"("old_string":"const LIMIT = 3;\nretry(LIMIT);",)"
                  R"("new_string":"const LIMIT = 30;\n// The bank is slow.\nretry(LIMIT, 250);",)"
                  R"("replace_all":true})",
         .diff = "--- /srv/shop/src/payment/retry.ts\n+++ /srv/shop/src/payment/retry.ts\n"
                 "@@ -1,2 +1,3 @@\n-const LIMIT = 3;\n-retry(LIMIT);\n+const LIMIT = 30;\n"
                 "+// The bank is slow.\n+retry(LIMIT, 250);\n",
         .summary = "/srv/shop/src/payment/retry.ts"});
}

inline AskSpec plan_ask() {
    return permission_ask(
        {.tool = "ExitPlanMode",
         .input = R"({})",
         .plan = "# Move the invoices to the new table\n\n1. Add `invoice_v2` beside the old one\n"
                 "2. Write to **both** for a day\n3. Copy what is older, in batches of 10,000\n"
                 "4. Read from the new one\n\n| step | risk | can be undone |\n|---|---|---|\n"
                 "| copy | low | yes |\n| read from the new one | medium | yes, by a flag |\n"
                 "| drop the old table | high | no |\n\nI stop before the last step and ask again.",
         .summary = "Move the invoices to the new table"});
}

inline AskSpec mcp_ask() {
    return permission_ask(
        {.tool = "mcp__github__create_issue",
         .input = R"({"repo":"acme/shop","title":"Payment is tried 30 times","labels":["bug",)"
                  R"("payment"],"body":"Since 2.4.1 the bank is asked again every 250 ms.\n\n)"
                  R"(Expected: three times, a second apart.","options":{"notify":true,)"
                  R"("assignees":[]}})",
         .summary = "mcp__github__create_issue acme/shop"});
}

}  // namespace parley::test
