// SPDX-License-Identifier: Apache-2.0
// Keeps a key that was meant for the last picture from deciding on this one: what has only just come
// up takes no key that decides, and the key that opened or settled something counts again only after
// a pause without it. Times are arguments, of one clock, in milliseconds.

export const STRAY_MS = 300;
// Longer than any keyboard waits before it repeats a key that is held down.
export const HELD_MS = 700;

export interface Press {
  key: string;
  at: number; // when it was struck, which may be before what stands here now came up
  isRepeat: boolean;
  // It goes to an ask, and does not only lead to one.
  decides: boolean;
}

interface Struck {
  key: string;
  at: number;
}

export class KeyGuard {
  private appearedAt = -Infinity;
  private last: Struck | undefined;
  private held: Struck | undefined;

  // Another ask, or another question of it, takes the keys from now on.
  appeared(at: number): void {
    this.appearedAt = at;
    this.used(at);
  }

  // Something was opened or settled: by the key before this, if there was one.
  used(at: number): void {
    if (this.last && at - this.last.at < HELD_MS) this.held = { key: this.last.key, at };
  }

  // Another key or the pointer between two presses shows that the first one has ended.
  letGo(): void {
    this.last = undefined;
    this.held = undefined;
  }

  // Asked once for every key that may decide: each repeat starts the pause anew.
  takes({ key, at, isRepeat, decides }: Press): boolean {
    if (this.held && this.held.key !== key) this.letGo();
    const isHeld = isRepeat || (this.held !== undefined && at - this.held.at < HELD_MS);
    if (isHeld && this.held) this.held = { key, at };
    if (isHeld || (decides && at - this.appearedAt < STRAY_MS)) return false;
    this.held = undefined;
    this.last = { key, at };
    return true;
  }
}

// The page's own, by the clock of its events.
export const keyGuard = new KeyGuard();
export const keyTime = (): number => performance.now();
