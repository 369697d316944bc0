// SPDX-License-Identifier: Apache-2.0
// How a question of each kind is answered on a card.
import type { VNode } from "preact";
import type { Answer, Question, QuestionKind } from "../../model/types";
import { ChoiceEditor, choicesWanted } from "./choice_editor";

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

interface QuestionEditor {
  Editor(props: EditorProps): VNode;
  // What is to be given, to be read before; empty where the editor says it.
  wanted(question: Question): string;
}

// A kind that has no row does not compile.
const EDITORS: Record<QuestionKind, QuestionEditor> = {
  choice: { Editor: ChoiceEditor, wanted: choicesWanted },
};

// A kind of a newer broker is asked as text: it comes without options.
export const editorOf = ({ kind }: Question): QuestionEditor => EDITORS[kind] ?? EDITORS.choice;
