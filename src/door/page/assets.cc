// SPDX-License-Identifier: Apache-2.0
#include "door/page/assets.h"

#include <array>

// The symbols of assets.S.
#define DECLARE_ASSET(name)                         \
    extern "C" const char kParley##name##Begin[];   \
    extern "C" const char kParley##name##End[];     \
    extern "C" const char kParley##name##GzBegin[]; \
    extern "C" const char kParley##name##GzEnd[];
#define CONTENT_OF(name)                             \
    {kParley##name##Begin, kParley##name##End}, {    \
        kParley##name##GzBegin, kParley##name##GzEnd \
    }

DECLARE_ASSET(Index)
DECLARE_ASSET(Script)
DECLARE_ASSET(Style)
DECLARE_ASSET(Worker)
DECLARE_ASSET(Manifest)
DECLARE_ASSET(Icon)
DECLARE_ASSET(SmallIcon)
DECLARE_ASSET(LargeIcon)
DECLARE_ASSET(MaskableIcon)
DECLARE_ASSET(TouchIcon)

namespace parley::page {

std::span<const Asset> assets() {
    constexpr std::string_view kHtml = "text/html; charset=utf-8";
    constexpr std::string_view kScript = "text/javascript; charset=utf-8";
    constexpr std::string_view kPng = "image/png";
    static const std::array kAssets = {
        Asset{"/", kHtml, CONTENT_OF(Index)},
        Asset{"/app.js", kScript, CONTENT_OF(Script)},
        Asset{"/app.css", "text/css; charset=utf-8", CONTENT_OF(Style)},
        Asset{"/sw.js", kScript, CONTENT_OF(Worker)},
        Asset{"/manifest.webmanifest", "application/manifest+json", CONTENT_OF(Manifest)},
        Asset{"/icon.svg", "image/svg+xml", CONTENT_OF(Icon)},
        Asset{"/icon-192.png", kPng, CONTENT_OF(SmallIcon)},
        Asset{"/icon-512.png", kPng, CONTENT_OF(LargeIcon)},
        Asset{"/icon-maskable.png", kPng, CONTENT_OF(MaskableIcon)},
        Asset{"/apple-touch-icon.png", kPng, CONTENT_OF(TouchIcon)},
    };
    return kAssets;
}

}  // namespace parley::page
