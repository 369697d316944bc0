// SPDX-License-Identifier: Apache-2.0
// A text field that grows with its text. Enter means "done" and Shift+Enter a new line; an Enter
// that ends a composition of an input method means neither. A phone's keyboard has no Shift+Enter:
// there Enter is a new line, and a button sends.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  value: string;
  label: string;
  placeholder?: string;
  id?: string;
  isInvalid?: boolean;
  describedBy?: string;
  input?: RefObject<HTMLTextAreaElement | null>;
  onInput(text: string): void;
  onEnter?(): void;
  onFocus?(): void;
}

// Newer browsers need no help, which costs a layout (style/controls.css).
const GROWS_ITSELF = CSS.supports("field-sizing", "content");

const FINGER = matchMedia("(pointer: coarse)");

export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

// What Enter types into a field, and does not mean.
export const isNewLine = ({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  key === "Enter" && (shiftKey || (FINGER.matches && !ctrlKey && !metaKey));

export function TextField({ value, label, onInput, onEnter, isInvalid, describedBy, input, ...rest }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
  const field = input ?? own;
  useLayoutEffect(() => {
    if (GROWS_ITSELF) return;
    const area = field.current!;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [value]);
  return (
    <textarea
      ref={field}
      class="text-field"
      dir="auto"
      rows={1}
      value={value}
      aria-label={label}
      aria-invalid={isInvalid || undefined}
      aria-describedby={describedBy}
      enterkeyhint={onEnter && !FINGER.matches ? "send" : "enter"}
      {...rest}
      onInput={(event) => onInput(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || isNewLine(event) || isComposing(event) || !onEnter) return;
        event.preventDefault();
        onEnter();
      }}
    />
  );
}
