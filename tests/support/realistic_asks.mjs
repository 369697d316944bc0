// SPDX-License-Identifier: Apache-2.0
// What six agents ask on a busy day: permissions of all kinds, short and long questions, contexts
// with code and tables, several questions at once, a title that does not end.
export const AGENTS = [
  { name: "checkout", title: "Checkout: move to the new payment API", agent: "Claude Code" },
  { name: "infra", title: "Clean up the staging cluster", agent: "Claude Code" },
  {
    name: "report",
    title: "Quarterly revenue report for the board, with the corrections that finance asked for in the review of 12 November",
    agent: "analyst",
  },
  { name: "mobile", title: "Offline mode for the mobile app", agent: "OpenCode" },
  { name: "docs", title: "Handbuch überarbeiten", agent: "writer" },
  { name: "triage", title: "Support triage", agent: "triage-bot" },
];

const CHOICES = [
  { label: "Allow once", description: "This call and no other" },
  { label: "Allow for this session", description: "Until it ends: Bash(kubectl delete:*)" },
  { label: "Deny", description: "Claude is told so, with your reason" },
];

const may = (tool, input, more = {}) => ({
  questions: [{ question: `May Claude Code use ${tool}?`, header: "Permission", options: CHOICES }],
  permission: { tool, input, ...more },
});

export const TEN_LINES = `set -euo pipefail
cd /srv/checkout
git fetch --all --prune
git checkout release/2026-11
npm ci --omit=dev
npm run migrate -- --env production --confirm
rsync -az --delete ./dist/ deploy@web-1.example.com:/srv/www/checkout/
rsync -az --delete ./dist/ deploy@web-2.example.com:/srv/www/checkout/
ssh deploy@web-1.example.com 'sudo systemctl restart checkout.service && curl -fsS localhost:8080/healthz'
ssh deploy@web-2.example.com 'sudo systemctl restart checkout.service && curl -fsS localhost:8080/healthz'`;

const PLAN = `## Move the checkout to the new payment API

1. **Add the client** in \`src/payment/client.ts\`, behind the flag \`new_payment\`.
2. Mirror one percent of the requests and compare the answers:
   - amounts, currencies, rounding
   - refunds and partial refunds
3. Switch merchants over in groups of ten.

| group | merchants | when |
|---|---:|---|
| pilot | 10 | Monday |
| small | 1,204 | Wednesday |
| all | 24,331 | a week later |

Then remove the old client and its **secrets** from the vault.

> Nothing is deleted before the last step.`;

// The permissions that Claude Code asks for, by what they are called in pictures.
export const PERMISSIONS = {
  bash: may("Bash", { command: "kubectl delete namespace staging-old --wait=false", description: "Delete the old staging namespace" }),
  bash_ten_lines: may("Bash", { command: TEN_LINES, description: "Deploy the release to both web servers", timeout: 600000 }),
  edit: may("Edit", {
    file_path: "/srv/checkout/src/payment/retry.ts",
    old_string: "export const RETRIES = 3;\nexport const PAUSE_MS = 1000;\n",
    new_string: "export const RETRIES = 12;\nexport const PAUSE_MS = 250;\n// Charges twice if the first answer is lost.\nexport const IS_IDEMPOTENT = false;\n",
  }),
  write: may("Write", {
    file_path: "/srv/checkout/scripts/nightly_cleanup.sh",
    content: "#!/bin/sh\nset -e\n# Keeps the last seven days.\nfind /var/lib/checkout/receipts -mtime +7 -name '*.pdf' -print -delete\npsql \"$DATABASE_URL\" -c \"delete from carts where updated_at < now() - interval '7 days'\"\n",
  }),
  plan: may("ExitPlanMode", { plan: PLAN }),
  mcp: may("mcp__linear__create_issue", {
    title: "Checkout: refunds over 10,000 fail",
    team: "Payments",
    priority: 1,
    labels: ["bug", "customer-reported"],
    description: "Three merchants report the same since Monday.\n\nSteps:\n1. Take an order over 10,000\n2. Refund it in part\n3. The refund stays in *pending*",
  }),
};

const CONTEXT = `The nightly job failed at **02:14**. This is what it said:

\`\`\`
${Array.from({ length: 14 }, (_, index) => `02:14:${String(index).padStart(2, "0")} worker-${index % 4} retry ${index} of 12: connection reset by peer (10.0.3.${17 + index}:5432)`).join("\n")}
\`\`\`

| month | merchants | volume in EUR | failed |
|---|---:|---:|---:|
| August | 23,118 | 1,204,331.80 | 0.4 % |
| September | 23,904 | 1,310,002.15 | 0.5 % |
| October | 24,331 | 1,377,918.09 | 2.1 % |

See [the dashboard](https://grafana.example.com/d/checkout/overview?orgId=1&from=now-24h) for the rest.`;

const QUESTIONS = [
  { question: "Which database should the `orders` service use?", header: "Database", options: [{ label: "PostgreSQL (Recommended)", description: "The one that `billing` has" }, { label: "SQLite", description: "A file, no server" }, { label: "PostgreSQL with a read replica", description: "Twice the cost" }] },
  { question: "Ship the release tonight?", header: "Release", options: ["Yes", "No", "Tomorrow at nine"] },
  { question: "Which of these customers get the refund?", header: "Refunds", multi_select: true, options: ["Aksoy & Partner", "Lindqvist AB", "Okafor Trading", "São Bento Lda.", "山田商店"] },
  { question: "What should the first paragraph of the manual say?", header: "Text", options: [] },
  {
    question: "The migration adds an index to the table `payments`, which has 214 million rows. On the test system it took 41 minutes, during which writes were slow but not blocked. We can run it now, during the day, with the risk of slower checkouts for the better part of an hour; at night, with nobody watching; or in three parts over the weekend, which needs a person to start each of them. When should it run?",
    header: "Migration", options: ["Now", "Tonight at 02:00", "In three parts over the weekend"],
  },
  {
    question: "Which layout for the empty basket?", header: "Layout",
    options: [
      { label: "Centred", description: "Calm", preview: "+----------------------+\n|      (  basket )     |\n|   Nothing here yet   |\n|     [ Go shopping ]  |\n+----------------------+" },
      { label: "List", description: "With suggestions", preview: "## Suggestions\n\n- last viewed\n- often bought" },
    ],
  },
  { question: "Reply to ticket 48213?", header: "Ticket", options: ["Send the draft", "Ask for the order number", "Pass on to a person"] },
];

// Further ones, in turn: what the n-th ask of a day is.
export function askOfDay(n) {
  const { name, agent } = AGENTS[n % AGENTS.length];
  const kinds = Object.values(PERMISSIONS);
  const base = { session: name, agent };
  if (n % AGENTS.length < 2) return { ...base, ...kinds[Math.floor(n / 2) % kinds.length] };
  const question = QUESTIONS[n % QUESTIONS.length];
  const more = n % 11 === 0 ? { context: CONTEXT } : n % 13 === 0 ? { timeout_seconds: 5400 } : {};
  const questions = n % 17 === 0 ? [question, ...QUESTIONS.filter((one) => one !== question).slice(0, 3)] : [question];
  return { ...base, questions, ...more, ...(n % 19 === 0 && { urgency: "high" }) };
}

// Six sessions and `count` pending asks; gives the asks.
export async function seed(broker, count = 300) {
  for (const session of AGENTS) await broker.call("POST", "/v1/sessions", session);
  const asks = [];
  for (let n = 0; n < count; ++n) {
    const { status, body } = await broker.call("POST", "/v1/asks", askOfDay(n));
    if (status !== 201) throw new Error(`ask ${n}: ${status} ${JSON.stringify(body)}`);
    asks.push(body);
  }
  return asks;
}
