/// What keeps a device from being announced.
package struct SourceOutlook: Sendable {
    /// One sentence without secrets.
    package let text: String
    /// Whether waiting is of no use: a password, path or format is wrong.
    package let isFinal: Bool

    /// Makes an outlook; each parameter sets the property of its name.
    package init(text: String, isFinal: Bool) { (self.text, self.isFinal) = (text, isFinal) }
}
