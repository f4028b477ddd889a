public import Media

/// A stretch of a recording: from `begin` up to `end`, since T0.
public struct TrackWindow: Sendable, Equatable {
    public let begin: MediaTime
    public let end: MediaTime

    public init(from begin: Nanoseconds, to end: Nanoseconds) {
        self.begin = MediaTime(nanoseconds: begin.count)
        self.end = MediaTime(nanoseconds: max(begin, end).count)
    }

    public var length: Nanoseconds { Nanoseconds(end.nanoseconds - begin.nanoseconds) }
    public var middle: MediaTime { MediaTime(nanoseconds: (begin.nanoseconds + end.nanoseconds) / 2) }

    func contains(_ time: MediaTime) -> Bool { begin <= time && time < end }
}
