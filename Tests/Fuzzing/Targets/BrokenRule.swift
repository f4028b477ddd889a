/// What did not hold of an input, as a sentence.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String
}

/// - Throws: The sentence, where it does not hold.
func hold(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(BrokenRule) {
    guard condition else { throw BrokenRule(description: sentence()) }
}

/// Holds that a sentence can be shown: a line of some length, without anything that a terminal would obey.
func holdShown(_ sentence: String, limit: Int = 8192) throws(BrokenRule) {
    try hold(sentence.utf8.count <= limit, "a sentence for people has \(sentence.utf8.count) bytes")
    try hold(
        !sentence.unicodeScalars.contains { HarmfulScalars.contains($0) },
        "a sentence for people holds something that a terminal would obey: \(sentence.debugDescription)")
}
