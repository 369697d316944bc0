// SPDX-License-Identifier: Apache-2.0
// What breaks inside stays inside: shows `fallback` instead, and tries again when `of` changes.
import { Component, type ComponentChildren } from "preact";

interface Props {
  of?: unknown;
  fallback: (again: () => void, error: unknown) => ComponentChildren;
  children: ComponentChildren;
}

interface State {
  error: unknown;
  isBroken: boolean;
}

export class Boundary extends Component<Props, State> {
  override state: State = { error: null, isBroken: false };

  static override getDerivedStateFromError(error: unknown): State {
    return { error, isBroken: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error("parley:", error);
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.isBroken && before.of !== this.props.of) this.again();
  }

  again = (): void => this.setState({ error: null, isBroken: false });

  render(): ComponentChildren {
    return this.state.isBroken ? this.props.fallback(this.again, this.state.error) : this.props.children;
  }
}
