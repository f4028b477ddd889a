internal import Media

/// One thing that the doctor looked at: how it is, and the command that mends it.
public struct Finding: Sendable, Hashable {
    public enum Level: String, Sendable, CaseIterable {
        case ok
        /// Recording works, but something may go wrong or be worse than it could be.
        case warning
        /// Recording will fail, or lose what it should not.
        case problem
        /// Could not be checked; `text` says why.
        case unknown
    }

    /// What was looked at: `usb.autosuspend`. The word before the point is its group.
    public let check: String
    public let level: Level
    /// The node, USB device, source or folder; `nil` where it is the whole machine.
    public let device: String?
    /// A sentence. Printable, as are the other texts.
    public let text: String
    /// A command for a POSIX shell; `nil` where none can help.
    public let mend: String?

    public init(_ check: String, _ level: Level, device: String? = nil, _ text: String, mend: String? = nil) {
        self.check = check
        self.level = level
        self.device = device?.printable()
        self.text = text.printable(limit: 1000)
        self.mend = mend?.printable(limit: 1000)
    }

    public var group: String { String(check.prefix { $0 != "." }) }
}
