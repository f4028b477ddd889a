/// A rule that was violated, as a sentence.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String
}

/// - Throws: The sentence as an error, if the condition is false.
func hold(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(BrokenRule) {
    guard condition else { throw BrokenRule(description: sentence()) }
}

/// Checks that a message can be displayed. It must be one line of limited length, without terminal control
/// characters.
func holdShown(_ sentence: String, limit: Int = 8192) throws(BrokenRule) {
    try hold(sentence.utf8.count <= limit, "a sentence for people has \(sentence.utf8.count) bytes")
    try hold(
        !sentence.unicodeScalars.contains { HarmfulScalars.contains($0) },
        "a sentence for people holds something that a terminal would obey: \(sentence.debugDescription)")
}
