// SPDX-License-Identifier: Apache-2.0
// The program whose precompiled header all test programs use; it is never run.
int main() {}
