// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { count, duration, LANGUAGES, locale, moment, t } from "../src/i18n";
import { filterQuery, historyOutcome, historyWords, inboxWords, readFilters, showsSnoozed } from "../src/model/filters";
import { address, parseRoute } from "../src/model/route";
import { language } from "../src/model/settings";
import { visible } from "../src/model/visible";

const names = (words: string): string => [...words.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort().join();

test("every language has every word, with the same things to fill in", () => {
  const { en, ...others } = LANGUAGES;
  assert.deepEqual(Object.keys(others), ["de", "es", "zh"]);
  for (const [tag, { words }] of Object.entries(others)) {
    assert.deepEqual(Object.keys(words).sort(), Object.keys(en!.words).sort(), tag);
    for (const [key, text] of Object.entries(words)) {
      assert.notEqual(text.trim(), "", `${tag} ${key}`);
      assert.equal(names(text), names(en!.words[key as keyof typeof words]), `${tag} ${key}`);
    }
  }
});

test("counts have both forms, and the chosen language's", () => {
  for (const key of Object.keys(LANGUAGES["en"]!.words).filter((one) => one.endsWith("_one")))
    assert.ok(key.replace(/_one$/, "_other") in LANGUAGES["en"]!.words, key);
  assert.equal(count("inbox.count", 1), "1 waiting");
  language.value = "de";
  assert.deepEqual([locale.value, count("inbox.count", 2)], ["de", "2 offen"]);
  language.value = "";
  assert.equal(t("card.step_of", { n: 1, total: 3 }), "Question 1 of 3");
  assert.deepEqual([65_000, 5_390_000, 7_200_000, 100_000_000, -1].map(duration), ["1:05", "1 h 29 min", "2 h", "1 d 3 h", "0:00"]);
});

test("a time is a part of its sentence in each language, today and on another day", () => {
  const noon = (year: number, day: number) => new Date(year, 0, day, 12, 30).toISOString();
  const today = new Date();
  const near = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 12, 30).toISOString();
  const said: Record<string, [string, string]> = {
    en: ["at 12:30 PM", "on Jan 5, 2020 at 12:30 PM"],
    de: ["um 12:30 Uhr", "am 5. Jan. 2020 um 12:30 Uhr"],
    es: ["a las 12:30", "el 5 ene 2020 a las 12:30"],
    zh: ["12:30", "2020年1月5日 12:30"],
  };
  for (const [tag, words] of Object.entries(said)) {
    language.value = tag;
    assert.deepEqual([moment("at", near), moment("at", noon(2020, 5))], words);
  }
  language.value = "es";
  assert.equal(t("card.snoozed_until", { until: moment("until", near) }), "Pospuesta hasta las 12:30");
  assert.deepEqual([count("card.next_ask", 1), count("card.next_ask", 2)].map((words) => words.match(/\((.*)\)/)![1]), ["1 pendiente", "2 pendientes"]);
  language.value = "";
});

test("an address leads to where it was made, and a wrong one to the inbox", () => {
  for (const route of [{ view: "inbox", ask: "a/b" }, { view: "history" }, { view: "sessions", session: "s 1" }, { view: "settings" }] as const)
    assert.deepEqual(parseRoute(address(route)), route);
  assert.deepEqual(parseRoute("#/ask/%"), { view: "inbox", ask: "%" });
  assert.deepEqual(parseRoute("#/nowhere"), { view: "inbox" });
});

test("what a text hides is shown, letters that need a joiner keep it", () => {
  assert.equal(visible("a\u202eb\u0007\u{e0041}"), "a⟨U+202E⟩b⟨U+0007⟩⟨U+E0041⟩");
  const england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
  assert.equal(visible(`${england}\u{e0041}`), `${england}⟨U+E0041⟩`);
  assert.equal(visible("می\u200cخواهم 👩\u200d💻\n\t"), "می\u200cخواهم 👩\u200d💻\n\t");
});

test("what is searched for stands in the address, and comes back with it", () => {
  inboxWords.value = "deploy now";
  showsSnoozed.value = true;
  const query = filterQuery("inbox");
  assert.equal(query, "?q=deploy+now&snoozed=1");
  readFilters("inbox", "");
  assert.deepEqual([inboxWords.value, showsSnoozed.value], ["", false]);
  readFilters("inbox", query);
  assert.deepEqual([inboxWords.value, showsSnoozed.value, filterQuery("settings")], ["deploy now", true, ""]);
  readFilters("history", "q=x&outcome=nonsense");
  assert.deepEqual([historyWords.value, historyOutcome.value], ["x", ""]);
  readFilters("inbox", "");
  readFilters("history", "");
  assert.deepEqual(parseRoute("#/ask/que_1?q=x"), { view: "inbox", ask: "que_1" });
});
