// SPDX-License-Identifier: Apache-2.0
#include "core/viewer.h"

#include <gtest/gtest.h>

#include <memory>

namespace parley {
namespace {

const SessionId kOne(IdBits{1, 1});
const SessionId kOther(IdBits{1, 2});
const Viewer kViewingAda = {.principal = "prn_ada", .sees_all = true};
const Viewer kBuilder = {.principal = "prn_builder"};
const Viewer kChild = {.principal = "prn_child", .only_session = kOne};

Session session_of(std::string owner, SessionId id = kOne) {
    return {.id = id, .owner = std::move(owner)};
}

Ask ask_of(std::string asker, SessionId session = kOne) {
    auto spec = std::make_shared<AskSpec>();
    spec->asker = std::move(asker);
    return {.id = AskId(IdBits{2, 1}), .session = session, .spec = std::move(spec)};
}

Event event_of(EventBody body) {
    return {.cursor = Cursor{1}, .at = {}, .session = kOne, .body = std::move(body)};
}

TEST(Viewer, PeopleStandInEverySession) {
    EXPECT_EQ(standing_of(kViewingAda, session_of("prn_builder")), Standing::own);
    EXPECT_EQ(standing_of(kViewingAda, session_of("")), Standing::own);
}

TEST(Viewer, AnAgentHasItsOwnAndMayTakeWhatIsNobodys) {
    EXPECT_EQ(standing_of(kBuilder, session_of("prn_builder")), Standing::own);
    EXPECT_EQ(standing_of(kBuilder, session_of("")), Standing::free);
    EXPECT_EQ(standing_of(kBuilder, session_of("prn_other")), Standing::foreign);
}

TEST(Viewer, WherePeopleAskByDefaultIsNobodysToTake) {
    Session session = session_of("");
    session.name = std::string(kDefaultSession);
    EXPECT_EQ(standing_of(kBuilder, session), Standing::foreign);
}

TEST(Viewer, NobodyIsNoOwnerOfWhatHasNone) {
    EXPECT_EQ(standing_of({}, session_of("")), Standing::foreign);
    EXPECT_FALSE(may_see({}, ask_of("")));
}

TEST(Viewer, ATokenForASessionActsThereAndInWhatItsSubAgentsOpened) {
    EXPECT_EQ(standing_of(kChild, session_of("prn_before")), Standing::own);
    Session sub = session_of("prn_before", kOther);
    EXPECT_EQ(standing_of(kChild, sub), Standing::foreign);
    sub.parent = kOne;
    EXPECT_EQ(standing_of(kChild, sub), Standing::own);
}

TEST(Viewer, AnAgentSeesItsOwnAsks) {
    EXPECT_TRUE(may_see(kViewingAda, ask_of("prn_builder")));
    EXPECT_TRUE(may_see(kBuilder, ask_of("prn_builder")));
    EXPECT_FALSE(may_see(kBuilder, ask_of("prn_other")));
    EXPECT_TRUE(may_see(kChild, ask_of("prn_before")));
    EXPECT_FALSE(may_see(kChild, ask_of("prn_before", kOther)));
}

TEST(Viewer, EventsOfASessionAreToldToWhoNamedIt) {
    const Event said = event_of(MessageAdded{MessageId(IdBits{3, 1}), "the password is …", {}});
    EXPECT_TRUE(may_see(kViewingAda, said, false));
    EXPECT_TRUE(may_see(kBuilder, said, true));
    EXPECT_FALSE(may_see(kBuilder, said, false));
    const Event opened = event_of(AskOpened{std::make_shared<const Ask>(ask_of("prn_other"))});
    EXPECT_FALSE(may_see(kBuilder, opened, true));
}

TEST(Viewer, DraftsAreTheirPersonsAlone) {
    const Event draft =
        event_of(DraftChanged{AskId(IdBits{2, 1}), "prn_bob", std::make_shared<const Draft>()});
    EXPECT_FALSE(may_see(kViewingAda, draft, true));
    EXPECT_TRUE(may_see({.principal = "prn_bob", .sees_all = true}, draft, false));
}

TEST(Viewer, SnoozesAreTheirPersonsAlone) {
    const Event snooze = event_of(SnoozeChanged{AskId(IdBits{2, 1}), "prn_bob", Instant()});
    EXPECT_FALSE(may_see(kViewingAda, snooze, true));
    EXPECT_FALSE(may_see(kUnrestricted, snooze, true));
    EXPECT_TRUE(may_see({.principal = "prn_bob", .sees_all = true}, snooze, false));
    EXPECT_TRUE(is_private(snooze));
}

TEST(Viewer, ChangesOfTokensAreToldToNobodyAndTheEndOfAnAgentToPeople) {
    const Event token = event_of(TokenChanged{"laptop", nullptr});
    const Event revoked = event_of(AgentRevoked{"prn_builder"});
    for (const Viewer& viewer : {kViewingAda, kBuilder, kChild, kUnrestricted, Viewer{}}) {
        EXPECT_FALSE(may_see(viewer, token, true));
        EXPECT_EQ(may_see(viewer, revoked, true), viewer.sees_all);
    }
    EXPECT_TRUE(is_private(token));
    EXPECT_FALSE(is_private(revoked));
}

TEST(Viewer, EveryAgentHasADefaultSessionOfItsOwn) {
    EXPECT_EQ(live_name_for(kViewingAda, "default"), "default");
    EXPECT_NE(live_name_for(kBuilder, "default"), live_name_for(kChild, "default"));
    EXPECT_EQ(live_name_for(kBuilder, "release"), "release");
    Session mine = session_of("prn_builder");
    mine.name = std::string(kDefaultSession);
    EXPECT_EQ(live_name(mine), live_name_for(kBuilder, "default"));
}

}  // namespace
}  // namespace parley
