extension String {
    /// A sentence as a part of another one.
    public var trimmingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
