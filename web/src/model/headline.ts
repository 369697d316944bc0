// SPDX-License-Identifier: Apache-2.0
// What an ask is about in one line, for rows, titles and notifications; and what it permits.
import type { Ask, Permission } from "./types";
import { visible } from "./visible";

// Backticks are for those who can show code.
const plain = (text: string): string => text.replace(/`+/g, "").replace(/\s+/g, " ").trim();

// What is permitted says more than "May it?"; in a command a backtick is no mark-up.
export function headline({ permission, questions, id }: Ask): string {
  if (permission?.summary) return visible(permission.summary.replace(/\s+/g, " ").trim());
  return visible(plain(questions[0]?.question || id));
}

// Whether the summary says which tool it is, as that of a call does.
export const namesTool = ({ tool, summary }: Permission): boolean => summary === tool || summary.startsWith(`${tool}(`);

// The same where it stands alone: a command says itself what it does, a path does not.
export function wholeHeadline(ask: Ask): string {
  const { permission } = ask;
  if (!permission?.summary || namesTool(permission)) return headline(ask);
  const isCommand = fieldsOf(permission.input).some(({ name }) => name === "command");
  return isCommand ? headline(ask) : `${visible(permission.tool)}: ${headline(ask)}`;
}

// The three choices of an agent that asks for permission without saying so.
const CHOICES = ["Allow once", "Allow for this session", "Deny"];

export const isPermission = (ask: Ask): boolean =>
  ask.permission !== undefined ||
  (ask.questions.length === 1 && ask.questions[0]!.options.map(({ label }) => label).join("\n") === CHOICES.join("\n"));

export interface Field {
  name: string;
  text: string;
}

const COMPACT_MAX = 60;

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  const compact = JSON.stringify(value) ?? "";
  return compact.length <= COMPACT_MAX ? compact : JSON.stringify(value, null, 2);
}

// A tool's input, field by field.
export function fieldsOf(input: unknown): Field[] {
  if (input === undefined || input === null) return [];
  if (typeof input !== "object" || Array.isArray(input)) return [{ name: "", text: asText(input) }];
  return Object.entries(input).map(([name, value]) => ({ name, text: asText(value) }));
}

export const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${[...text].slice(0, most - 1).join("")}…`;
