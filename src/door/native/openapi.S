// SPDX-License-Identifier: Apache-2.0
// The OpenAPI document as it stands in openapi.json, from its first byte to the one after its last.
    .section .rodata
    .global parley_openapi_begin
    .global parley_openapi_end
parley_openapi_begin:
    .incbin "openapi.json"
parley_openapi_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
