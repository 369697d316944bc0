// SPDX-License-Identifier: Apache-2.0
// Each file of the page as it is and compressed, from its first byte to the one after its last.
#define ASSET(name, file, gzipped)            \
    .global kParley##name##Begin;     \
    .global kParley##name##End;       \
    .global kParley##name##GzBegin;   \
    .global kParley##name##GzEnd;     \
    kParley##name##Begin: .incbin file; \
    kParley##name##End: .byte 0;      \
    kParley##name##GzBegin: .incbin gzipped; \
    kParley##name##GzEnd: .byte 0

    .section .rodata
ASSET(Index, "index.html", "index.html.gz")
ASSET(Script, "app.js", "app.js.gz")
ASSET(Style, "app.css", "app.css.gz")
ASSET(Worker, "sw.js", "sw.js.gz")
ASSET(Manifest, "manifest.webmanifest", "manifest.webmanifest.gz")
ASSET(Icon, "icon.svg", "icon.svg.gz")
ASSET(SmallIcon, "icon-192.png", "icon-192.png.gz")
ASSET(LargeIcon, "icon-512.png", "icon-512.png.gz")
ASSET(MaskableIcon, "icon-maskable.png", "icon-maskable.png.gz")
ASSET(TouchIcon, "apple-touch-icon.png", "apple-touch-icon.png.gz")
    .section .note.GNU-stack, "", %progbits
