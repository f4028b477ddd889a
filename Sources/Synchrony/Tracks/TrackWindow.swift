public import Media

/// A stretch of a recording since T0, from `begin` up to but not including `end`.
public struct TrackWindow: Sendable, Equatable {
    /// Begin of the window, since T0.
    public let begin: MediaTime
    /// End of the window, since T0; not part of it.
    public let end: MediaTime

    /// Creates a window from two times since T0. An `end` before `begin` makes it empty.
    public init(from begin: Nanoseconds, to end: Nanoseconds) {
        self.begin = MediaTime(nanoseconds: begin.count)
        self.end = MediaTime(nanoseconds: max(begin, end).count)
    }

    /// Length of the window.
    public var length: Nanoseconds { Nanoseconds(end.nanoseconds - begin.nanoseconds) }
    /// Middle of the window, since T0.
    public var middle: MediaTime { MediaTime(nanoseconds: (begin.nanoseconds + end.nanoseconds) / 2) }

    /// Whether a time lies in the window.
    func contains(_ time: MediaTime) -> Bool { begin <= time && time < end }
}
