"""How a corpus like XCR-Bench's is built: from facts about cultures to sentences, and from people's votes to
a release."""
