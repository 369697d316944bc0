// SPDX-License-Identifier: Apache-2.0
// The OpenAPI document as it stands in openapi.json, from its first byte to the one after its last.
    .section .rodata
    .global kParleyOpenApiBegin
    .global kParleyOpenApiEnd
kParleyOpenApiBegin:
    .incbin "openapi.json"
kParleyOpenApiEnd:
    .byte 0
    .section .note.GNU-stack, "", %progbits
