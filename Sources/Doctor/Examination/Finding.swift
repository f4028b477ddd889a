internal import Media

/// The result of one check, with a command that repairs what is wrong.
public struct Finding: Sendable, Hashable {
    /// How serious a finding is.
    public enum Level: String, Sendable, CaseIterable {
        /// Nothing is wrong.
        case ok
        /// Recordings work, but something may fail or could be better.
        case warning
        /// Recordings will fail, or lose frames or audio.
        case problem
        /// The check was impossible; `text` says why.
        case unknown
    }

    /// The name of the check: `usb.autosuspend`. The part before the point is its group.
    public let check: String
    /// How serious the finding is.
    public let level: Level
    /// The device node, USB device, sound source or folder; `nil` when the finding concerns the whole computer.
    public let device: String?
    /// The finding as a sentence of at most 1000 printable characters.
    public let text: String
    /// A command for a POSIX shell that repairs it; `nil` when none can.
    public let mend: String?

    /// Creates a finding; control characters in its texts are replaced.
    public init(_ check: String, _ level: Level, device: String? = nil, _ text: String, mend: String? = nil) {
        self.check = check
        self.level = level
        self.device = device?.printable()
        self.text = text.printable(limit: 1000)
        self.mend = mend?.printable(limit: 1000)
    }

    /// The group of the check: `usb` for `usb.autosuspend`.
    public var group: String { String(check.prefix { $0 != "." }) }
}
