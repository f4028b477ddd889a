extension String {
    /// The text as a sentence: with a capital at its beginning and one full stop at its end.
    package var asSentence: String {
        let text = prefix(1).uppercased() + dropFirst()
        return text.hasSuffix(".") ? text : text + "."
    }
}
