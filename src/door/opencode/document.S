// SPDX-License-Identifier: Apache-2.0
// openapi.json and tool.json as they stand, each from its first byte to the one after its last.
    .section .rodata
    .global kParleyOpenCodeApiBegin
    .global kParleyOpenCodeApiEnd
    .global kParleyOpenCodeToolBegin
    .global kParleyOpenCodeToolEnd
kParleyOpenCodeApiBegin:
    .incbin "opencode/openapi.json"
kParleyOpenCodeApiEnd:
    .byte 0
kParleyOpenCodeToolBegin:
    .incbin "opencode/tool.json"
kParleyOpenCodeToolEnd:
    .byte 0
    .section .note.GNU-stack, "", %progbits
