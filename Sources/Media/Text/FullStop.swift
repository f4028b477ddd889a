extension String {
    /// The text without a full stop at its end, to stand within another sentence.
    public var trimmingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
