// SPDX-License-Identifier: Apache-2.0
// How a question of each kind is answered on a card.
import type { VNode } from "preact";
import type { Answer, Question, QuestionKind } from "../../model/types";
import { ChoiceEditor } from "./choice_editor";

export interface EditorProps {
  question: Question;
  answer: Answer;
  isLocked: boolean;
  labelledBy: string;
  faultId: string | undefined; // of what is wrong with it, where something is
  onChange(answer: Answer): void;
  // A choice that may be the whole answer.
  onPick(answer: Answer): void;
  onEnter(): void;
}

type Editor = (props: EditorProps) => VNode;

// A kind that has no row does not compile.
const EDITORS: Record<QuestionKind, Editor> = { choice: ChoiceEditor };

// A kind of a newer broker is asked as text: it comes without options.
export const editorOf = ({ kind }: Question): Editor => EDITORS[kind] ?? ChoiceEditor;
