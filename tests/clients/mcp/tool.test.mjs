// SPDX-License-Identifier: Apache-2.0
// `parley tool` in every format, held against what each API takes: the types of the official SDKs of
// Anthropic and OpenAI, the schema of MCP's SDK, and JSON Schema 2020-12 as Ajv reads it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ToolSchema } from "@modelcontextprotocol/sdk/types.js";
import ts from "typescript";
import { environment, PROGRAM } from "../support/broker.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));

function definition(format) {
  const text = execFileSync(PROGRAM, ["tool", "--format", format], { env: environment() });
  return JSON.parse(text);
}

const SCHEMA_OF = {
  anthropic: (tool) => tool.input_schema,
  openai: (tool) => tool.function.parameters,
  mcp: (tool) => tool.inputSchema,
  "json-schema": (schema) => schema,
};

const option = (label) => ({ label, description: "what it means" });
const question = (changes = {}) => ({
  question: "Which database?", header: "Database", multiSelect: false,
  options: [option("PostgreSQL (Recommended)"), option("SQLite")], ...changes,
});

for (const [format, schemaOf] of Object.entries(SCHEMA_OF)) {
  test(`${format}: the schema takes what can be asked, and nothing else`, () => {
    const accepts = new Ajv2020({ strict: true }).compile(schemaOf(definition(format)));
    const five = Array.from({ length: 5 }, (_, i) => question({ question: `Question ${i}?` }));
    assert.ok(accepts({ questions: [question()] }), JSON.stringify(accepts.errors));
    assert.ok(accepts({ questions: five.slice(0, 4) }));
    assert.ok(accepts({ questions: [question({ multiSelect: true, header: "x".repeat(12) })] }));
    for (const bad of [
      {}, { questions: [] }, { questions: five },
      { questions: [question({ header: "x".repeat(13) })] },
      { questions: [question({ options: [option("A")] })] },
      { questions: [question({ options: ["A", "B", "C", "D", "E"].map(option) })] },
      { questions: [question({ options: [{ label: "A" }, { label: "B" }] })] },
      { questions: [question({ multiSelect: undefined })].map((q) => JSON.parse(JSON.stringify(q))) },
      { questions: [{ ...question(), more: 1 }] },
    ]) assert.ok(!accepts(bad), JSON.stringify(bad));
  });
}

test("mcp: an entry of tools/list, for the official SDK", () => {
  const tool = ToolSchema.parse(definition("mcp"));
  assert.equal(tool.name, "AskUserQuestion");
  assert.match(tool.description, /Guidelines:/);
});

// What the compiler says about one file, which need not be there.
function complaints(source) {
  const name = join(HERE, "tool_types.ts");
  const options = { noEmit: true, strict: true, skipLibCheck: true, types: [],
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => path === name || fileExists.call(host, path);
  host.readFile = (path) => path === name ? source : readFile.call(host, path);
  host.getSourceFile = (path, ...rest) => path === name ?
    ts.createSourceFile(path, source, options.target) : getSourceFile.call(host, path, ...rest);
  return ts.getPreEmitDiagnostics(ts.createProgram([name], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

test("anthropic and openai: the types of the official SDKs", () => {
  const source = (anthropic, openai) => `
    import type Anthropic from "@anthropic-ai/sdk";
    import type OpenAI from "openai";
    export const tools: Anthropic.Tool[] = [${JSON.stringify(anthropic)}];
    export const functions: OpenAI.ChatCompletionFunctionTool[] = [${JSON.stringify(openai)}];`;
  assert.deepEqual(complaints(source(definition("anthropic"), definition("openai"))), []);
  // The types are not just anything.
  const { input_schema: _, ...broken } = definition("anthropic");
  assert.equal(complaints(source(broken, { type: "function" })).length, 2);
});
