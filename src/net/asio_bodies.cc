// SPDX-License-Identifier: Apache-2.0
// Asio's function bodies, compiled once for all of us (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>
