/// A rule that was violated, as a sentence.
struct RuleViolation: Error, CustomStringConvertible {
    let description: String
}

/// - Throws: The sentence as an error, if the condition is false.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(RuleViolation) {
    guard condition else { throw RuleViolation(description: sentence()) }
}

/// Checks that a message can be displayed. It must be one line of limited length, without terminal control
/// characters.
func requireDisplayable(_ sentence: String, limit: Int = 8192) throws(RuleViolation) {
    try require(sentence.utf8.count <= limit, "a sentence for people has \(sentence.utf8.count) bytes")
    try require(
        !sentence.unicodeScalars.contains { HarmfulScalars.contains($0) },
        "a sentence for people holds something that a terminal would obey: \(sentence.debugDescription)")
}
