// SPDX-License-Identifier: Apache-2.0
// Precompiled once for all test programs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/pch.h"
