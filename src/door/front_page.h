// SPDX-License-Identifier: Apache-2.0
// What `/` shows to a person who opens it in a browser: the page (page/), or a few lines of text
// where the program was built without it (welcome/). Belongs to the loop's thread.
#pragma once

#include "broker/broker.h"
#include "door/sign_in.h"
#include "net/router.h"

namespace parley {

struct FrontPageWiring {
    const LoopBroker& broker;
    SignIn& sign_in;
};

// The routes keep the references.
void add_front_page(net::Router& router, FrontPageWiring wiring);

}  // namespace parley
